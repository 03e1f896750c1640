import Foundation
import Presentation
import Sync

struct MoviesRenderer: Renderer {
    func render(_ state: MoviesViewModel.State) -> Screen<MoviesViewModel.Action> {
        Screen(
            title: "Movies",
            sections: [
                .init(rows: status(state)),
                .init(rows: state.movies.map(row) + more(state)),
                .init("Search", rows: [search(state)]),
                .init("Rating", rows: ratings(state)),
                .init("Order", rows: orders(state)),
            ],
            actions: [
                .init("Refresh", key: .control("r"), isEnabled: state.request == nil, action: .refresh),
                .init("Add a movie", key: .control("a"), action: .add),
                .init("Leave", key: .escape, action: .leave),
            ])
    }

    // MARK: - Status

    private func status(_ state: MoviesViewModel.State) -> [Row] {
        loading(state) + origin(state) + mirror(state)
    }

    private func loading(_ state: MoviesViewModel.State) -> [Row] {
        switch state.loading {
        case .idle where state.movies.isEmpty:
            return [
                .text(state.selection == MovieSelection() ? "There are no movies yet." : "No movie is like that.")
            ]
        case .idle:
            let count = state.movies.count.counting("movie", "movies")
            if case .local(nil, _) = state.origin { return [.text("\(count), as far as is known here.")] }
            return [.text(state.hasMore ? "The first \(count)." : "\(count) in all.")]
        case let .underWay(request, attempt):
            let what = request.page == .first ? "Loading the movies" : "Loading more movies"
            return [.progress(what, attempt: attempt)]
        case let .failed(error, _, _):
            return [.notice(.error, "\(error)", button: .init("Try again", key: .control("t"), action: .retry))]
        }
    }

    private func origin(_ state: MoviesViewModel.State) -> [Row] {
        guard case let .local(since, error) = state.origin else { return [] }
        let age = since.map { "as it was on \($0.inWords)" } ?? "as far as it was seen before"
        let message = "This is the copy on this machine, \(age). \(error)"
        let button =
            state.request == nil
            ? Button("Ask the server again", key: .control("s"), action: .refresh) : nil
        return [.notice(.warning, message, button: button)]
    }

    private func mirror(_ state: MoviesViewModel.State) -> [Row] {
        guard case let .behind(changes, error) = state.mirror else { return [] }
        let what = changes == 0 ? "could not be brought up to date" : "lacks \(changes.counting("change", "changes"))"
        return [.notice(.warning, "The copy on this machine \(what). \(error)")]
    }

    // MARK: - Movies

    private func row(_ movie: Movie) -> Row {
        let parts = [
            movie.year.map { "\($0)" }, movie.rating.rawValue, "$\(movie.budget.grouped)",
            movie.score.map { "\($0) of 10" },
        ]
        return .choice(
            movie.title, detail: parts.compactMap { $0 }.joined(separator: ", "), action: .choose(movie.id))
    }

    private func more(_ state: MoviesViewModel.State) -> [Row] {
        guard state.hasMore else { return [] }
        return [.button("More", key: .pageDown, isEnabled: state.request == nil, action: .loadMore)]
    }

    // MARK: - Selection

    private func search(_ state: MoviesViewModel.State) -> Row {
        .field("Title", text: state.selection.title, placeholder: "Part of a title", edit: { .search($0) })
    }

    private func ratings(_ state: MoviesViewModel.State) -> [Row] {
        ([nil] + Rating.allCases).map { rating in
            .choice(
                rating?.rawValue ?? "Any rating", isSelected: state.selection.rating == rating,
                action: .filter(rating))
        }
    }

    private func orders(_ state: MoviesViewModel.State) -> [Row] {
        MovieSelection.Order.allCases.map { order in
            .choice(title(of: order), isSelected: state.selection.order == order, action: .sort(order))
        }
    }

    private func title(of order: MovieSelection.Order) -> String {
        switch order {
        case .title: "By title"
        case .newest: "The newest first"
        case .budget: "The dearest first"
        case .score: "The best first"
        }
    }
}

extension Date {
    /// The date and time in UTC, the same in every locale: `2026-11-20 06:24 UTC`.
    fileprivate var inWords: String {
        let text = formatted(.iso8601.dateSeparator(.dash).timeSeparator(.colon))
        return text.prefix(16).replacing("T", with: " ") + " UTC"
    }
}
