import Presentation
import Sync

struct MovieEditorRenderer: Renderer {
    func render(_ state: MovieEditorViewModel.State) -> Screen<MovieEditorViewModel.Action> {
        if case let .saved(movie) = state.phase { return confirmation(of: movie, state) }
        return Screen(
            title: title(state),
            sections: [
                .init(rows: status(state)),
                .init("Movie", rows: MovieForm.Field.allCases.map { field($0, state) }),
                .init("Rating", rows: state.canEdit ? ratings(state) : [.value("Rating", state.form.rating.rawValue)]),
            ],
            actions: [
                .init("Save", key: .control("o"), isEnabled: state.canEdit, action: .save),
                .init("Back", key: .escape, action: .leave),
            ])
    }

    private func title(_ state: MovieEditorViewModel.State) -> String {
        state.isNew ? "A new movie" : "Change a movie"
    }

    private func status(_ state: MovieEditorViewModel.State) -> [Row] {
        switch state.phase {
        case .editing, .saved: []
        case let .saving(_, attempt):
            [.progress("Saving the movie", attempt: attempt)]
        case let .failed(error, _):
            [.notice(.error, "\(error)", button: .init("Try again", key: .control("t"), action: .save))]
        }
    }

    private func field(_ field: MovieForm.Field, _ state: MovieEditorViewModel.State) -> Row {
        .field(
            label(of: field), text: state.form[field], placeholder: example(of: field),
            problem: state.showsProblems ? state.form.problem(in: field) : nil, isEnabled: state.canEdit,
            edit: { .edit(field, $0) })
    }

    private func ratings(_ state: MovieEditorViewModel.State) -> [Row] {
        Rating.allCases.map { rating in
            .choice(rating.rawValue, isSelected: state.form.rating == rating, action: .rate(rating))
        }
    }

    private func confirmation(
        of movie: Sourced<Movie>, _ state: MovieEditorViewModel.State
    ) -> Screen<MovieEditorViewModel.Action> {
        var rows: [Row] = [.notice(.success, "\"\(movie.value.title)\" is saved.")]
        if case let .behind(_, error) = movie.mirror {
            rows.append(
                .notice(.warning, "The copy on this machine does not have it yet, and will be mended. \(error)"))
        }
        return Screen(
            title: title(state), sections: [.init(rows: rows)],
            actions: [.init("Done", key: .escape, action: .leave)])
    }

    private func label(of field: MovieForm.Field) -> String {
        switch field {
        case .title: "Title"
        case .budget: "Budget in dollars"
        case .year: "Year"
        case .score: "Score"
        case .tagline: "Tagline"
        }
    }

    private func example(of field: MovieForm.Field) -> String {
        switch field {
        case .title: "The Third Man"
        case .budget: "600,000"
        case .year: "1949"
        case .score: "8.1"
        case .tagline: "Hunted by men…"
        }
    }
}
