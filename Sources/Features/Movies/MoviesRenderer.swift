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
                .init("Genre", rows: genres(state)),
                .init("Year", rows: years(state)),
                .init("Budget", rows: budgets(state)),
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
        loading(state) + origin(state) + mirror(state) + refusal(state) + state.sync.rows()
            + parkedFailure(state) + parked(state)
    }

    private func loading(_ state: MoviesViewModel.State) -> [Row] {
        let activity = if case .after = state.page { "Loading more movies" } else { "Loading the movies" }
        let rows: [Row] = state.loading.rows(activity, retry: .retry)
        guard rows.isEmpty else { return rows }
        if state.movies.isEmpty {
            return [.text(state.selection.isEveryMovie ? "There are no movies yet." : "No movie matches.")]
        }
        let count = state.movies.count.counting("movie", "movies")
        if case .local(nil, _) = state.origin { return [.text("\(count), as far as is known here.")] }
        return [.text(state.hasMore ? "The first \(count)." : "\(count) in all.")]
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

    private func refusal(_ state: MoviesViewModel.State) -> [Row] {
        if let change = state.repeatedChange { return [.progress(activity(of: change))] }
        guard let refusal = state.refusal else { return [] }
        let title = "“\(refusal.movie.title)”"
        let what =
            switch refusal.change {
            case .addition: "\(title) could not be added"
            case .alteration: "The changes of \(title) could not be saved"
            case .deletion: "\(title) could not be deleted"
            }
        return [.notice(.error, "\(what). \(refusal.error)", button: .tryAgain(.changeAgain))]
    }

    private func activity(of repeated: MovieRefusal) -> String {
        let title = "“\(repeated.movie.title)”"
        return switch repeated.change {
        case .addition: "Adding \(title)"
        case .alteration: "Saving the changes of \(title)"
        case .deletion: "Deleting \(title)"
        }
    }

    private func parked(_ state: MoviesViewModel.State) -> [Row] {
        guard let write = state.parked.first(where: { $0.id == state.surrender }) else {
            return state.parked.rows(retry: { .sendAgain($0) }, giveUp: { .giveUp($0) })
        }
        return [
            .notice(.warning, "Give up this change: \(write.summary)? A change that is given up is lost."),
            .button("Give it up", action: .confirmGivingUp(write.id)), .button("Keep it", action: .keepParked),
        ]
    }

    private func parkedFailure(_ state: MoviesViewModel.State) -> [Row] {
        state.parkedFailure.map { [.notice(.error, "The change is still as it was. \($0)")] } ?? []
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
        return [.button("More", key: .control("n"), isEnabled: state.canLoadMore, action: .loadMore)]
    }

    // MARK: - Selection

    private func search(_ state: MoviesViewModel.State) -> Row {
        .field("Title", text: state.selection.title, placeholder: "Part of a title", edit: { .search($0) })
    }

    private func ratings(_ state: MoviesViewModel.State) -> [Row] {
        ([nil] + Rating.allCases).map { rating in
            .choice(
                rating?.rawValue ?? "Any rating", isSelected: state.selection.rating == rating,
                action: .filter(.rating(rating)))
        }
    }

    private func genres(_ state: MoviesViewModel.State) -> [Row] {
        ([nil] + Genre.allCases).map { genre in
            .choice(
                genre?.rawValue ?? "Any genre", isSelected: state.selection.genre == genre,
                action: .filter(.genre(genre)))
        }
    }

    private func years(_ state: MoviesViewModel.State) -> [Row] {
        let choices: [(String, ClosedRange<Int>?)] = [
            ("Any year", nil), ("Until 1959", 0...1959), ("1960 to 1979", 1960...1979), ("1980 to 1999", 1980...1999),
            ("2000 or later", 2000...9999),
        ]
        return choices.map { title, years in
            .choice(title, isSelected: state.selection.years == years, action: .filter(.years(years)))
        }
    }

    private func budgets(_ state: MoviesViewModel.State) -> [Row] {
        let choices: [(String, ClosedRange<Int>?)] = [
            ("Any budget", nil), ("Up to $1,000,000", 0...1_000_000), ("Up to $20,000,000", 0...20_000_000),
            ("More than $20,000,000", 20_000_001...1_000_000_000_000),
        ]
        return choices.map { title, budgets in
            .choice(title, isSelected: state.selection.budgets == budgets, action: .filter(.budgets(budgets)))
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
