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

    @Test(
        "A page without a new movie is the last one that is fetched, and tells whether there are more",
        arguments: [false, true])
    func pageWithoutNewMovies(hasMore: Bool) async throws {
        let movies: [Movie] = (1...3).map { .fixture(id: .fixture($0)) }
        // The first movie has moved behind the second one meanwhile.
        let list = ScriptedMovieList([movies, hasMore ? [movies[0], movies[1], movies[2]] : [movies[0]]])
        let page = try await list.pages(of: .init(), after: nil, size: 2, atLeast: 9).value()
        #expect(page.value.movies == (hasMore ? [movies[0], movies[1]] : [movies[1], movies[0]]))
        #expect(page.value.hasMore == hasMore)
        #expect(list.answers.value.isEmpty)
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

/// A list that gives one answer after the other, whatever it is asked for.
private struct ScriptedMovieList: SourcedReading {
    let answers: MutableProperty<[[Movie]]>

    init(_ answers: [[Movie]]) { self.answers = MutableProperty(answers) }

    func object(withId id: Movie.ID) async throws(StoreError) -> Sourced<Movie?> { Sourced(nil) }

    func fetch(
        where condition: Condition<Movie>, sortedBy criteria: [SortCriterion<Movie>], after: Movie?, limit: Int?
    ) async throws(StoreError) -> Sourced<[Movie]> {
        Sourced(answers.modify { $0.isEmpty ? [] : $0.removeFirst() })
    }
}
