import Presentation
import Sync

struct MovieEditorRenderer: Renderer {
    func render(_ state: MovieEditorViewModel.State) -> Screen<MovieEditorViewModel.Action> {
        if let movie = state.saved { return confirmation(of: movie, state) }
        return Screen(
            title: title(state),
            sections: [
                .init(rows: state.saving.rows("Saving the movie", retry: .save)),
                .init("Movie", rows: fields(state)),
                .init("Rating", rows: state.canEdit ? ratings(state) : [.value("Rating", state.form.rating.rawValue)]),
                .init("Genre", rows: state.canEdit ? genres(state) : [.value("Genre", state.form.genre.title)]),
            ],
            actions: [
                .init("Save", key: .control("o"), isEnabled: state.canEdit, action: .save),
                .init("Back", key: .escape, action: .leave),
            ])
    }

    private func title(_ state: MovieEditorViewModel.State) -> String {
        state.isNew ? "A new movie" : "Change a movie"
    }

    private func fields(_ state: MovieEditorViewModel.State) -> [Row] {
        state.form.rows(showsProblems: state.showsProblems, isEnabled: state.canEdit, edit: { .edit($0, $1) }) {
            (label(of: $0), example(of: $0))
        }
    }

    private func ratings(_ state: MovieEditorViewModel.State) -> [Row] {
        Rating.allCases.map { rating in
            .choice(rating.rawValue, isSelected: state.form.rating == rating, action: .rate(rating))
        }
    }

    private func genres(_ state: MovieEditorViewModel.State) -> [Row] {
        ([nil] + Genre.allCases).map { genre in
            .choice(genre.title, isSelected: state.form.genre == genre, action: .classify(genre))
        }
    }

    private func confirmation(
        of movie: Sourced<Movie>, _ state: MovieEditorViewModel.State
    ) -> Screen<MovieEditorViewModel.Action> {
        var rows: [Row] = [.notice(.success, "\"\(movie.value.title)\" is saved.")]
        if case let .behind(_, error) = movie.mirror {
            rows.append(
                .notice(.warning, "The copy on this machine does not have it yet; it will be repaired. \(error)"))
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

extension Genre? {
    var title: String { self?.rawValue ?? "unknown" }
}
