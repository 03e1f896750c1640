import Presentation
import Sync

struct MovieDetailRenderer: Renderer {
    func render(_ state: MovieDetailViewModel.State) -> Screen<MovieDetailViewModel.Action> {
        Screen(
            title: state.movie?.title ?? "A movie",
            sections: [.init(rows: status(state)), .init(rows: state.movie.map { values(of: $0) } ?? [])],
            actions: actions(state))
    }

    private func status(_ state: MovieDetailViewModel.State) -> [Row] {
        if state.isGone { return [.notice(.information, "This movie does not exist any more.")] }
        if let movie = state.movie, state.deletion.isAsking {
            return [.notice(.warning, "Delete \"\(movie.title)\"? This cannot be undone.")]
        }
        var rows: [Row] = state.deletion.attempt.rows("Deleting the movie", retry: .confirm)
        rows += state.loading.rows("Loading the movie", retry: .refresh)
        if case let .local(_, error) = state.origin {
            rows.append(.notice(.warning, "This is the copy on this machine. \(error)"))
        }
        return rows
    }

    private func values(of movie: Movie) -> [Row] {
        let values: [(String, String?)] = [
            ("Tagline", movie.tagline), ("Rating", movie.rating.rawValue), ("Genre", movie.genre?.rawValue),
            ("Year", movie.year.map { "\($0)" }), ("Budget", "$\(movie.budget.grouped)"),
            ("Score", movie.score.map { "\($0) of 10" }),
        ]
        return values.compactMap { label, value in value.map { .value(label, $0) } }
    }

    private func actions(_ state: MovieDetailViewModel.State) -> [Button] {
        if state.deletion.isAsking, state.canChange {
            return [.init("Delete it", key: "y", action: .confirm), .init("Keep it", key: .escape, action: .keep)]
        }
        return [
            .init("Edit", key: "e", isEnabled: state.canChange, action: .edit),
            .init("Delete", key: "d", isEnabled: state.canChange, action: .delete),
            .init("Back", key: .escape, action: .leave),
        ]
    }
}
