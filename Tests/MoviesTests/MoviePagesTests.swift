import Feedback
import Fixtures
import Persistence
import Sync
import Testing

@testable import Movies

struct MoviePagesTests {
    @Test("Several pages are fetched with the requests that fetched them one by one, and are as old as the oldest")
    func severalPages() async throws {
        let list = MovieList((1...5).map { .fixture(id: .fixture($0)) })
        for count in [0, 1, 2] {
            let page = try await list.pages(of: .init(), after: nil, size: 2, atLeast: count).value()
            #expect(page == Sourced(MoviePage(movies: Array(list.movies.prefix(2)), hasMore: true)))
        }
        let pages = try await list.pages(of: .init(), after: nil, size: 2, atLeast: 4).value()
        #expect(pages.value == MoviePage(movies: Array(list.movies.prefix(4)), hasMore: true))
        #expect(pages.source == .local(staleSince: nil, because: .fixture()))
        let all = try await list.pages(of: .init(), after: nil, size: 2, atLeast: 9).value()
        #expect(all.value == MoviePage(movies: list.movies, hasMore: false))
        let asked = list.asked.value
        #expect(asked.suffix(5) == [nil, list.movies[1], nil, list.movies[1], list.movies[3]])
    }
}

/// A list whose first page comes from the server, and the others from this machine.
private struct MovieList: SourcedReading {
    let movies: [Movie]
    /// The last movies of the pages before those that were asked for.
    let asked = MutableProperty<[Movie?]>([])

    init(_ movies: [Movie]) { self.movies = movies }

    func object(withId id: Movie.ID) async throws(StoreError) -> Sourced<Movie?> { Sourced(nil) }

    func fetch(
        where condition: Condition<Movie>, sortedBy criteria: [SortCriterion<Movie>], after: Movie?, limit: Int?
    ) async throws(StoreError) -> Sourced<[Movie]> {
        asked.modify { $0.append(after) }
        let start = after.flatMap { movies.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        let page = Array(movies[start...].prefix(limit ?? .max))
        return Sourced(page, source: after == nil ? .remote : .local(staleSince: nil, because: .fixture()))
    }
}
