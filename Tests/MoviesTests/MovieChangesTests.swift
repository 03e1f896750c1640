import Feedback
import FeedbackTesting
import Fixtures
import LocalBackend
import Persistence
import Presentation
import Sync
import Testing

@testable import Movies

struct MovieChangesTests {
    private let changes = MovieChanges()
    private let requests = Stub<String, Movie, StoreError>()

    private func save(_ title: String, of number: UInt32 = 1) -> SignalProducer<Movie, StoreError> {
        changes.perform(.alteration(of: .fixture()), of: .fixture(id: .fixture(number), title: title), requests(title))
    }

    @Test("Changes of one movie are sent one after the other, also if both screens were left")
    func order() {
        save("A").start().dispose()
        save("B").start().dispose()
        save("C", of: 2).start().dispose()
        #expect(requests.inputs == ["A", "C"])
        requests.answer(.fixture(), where: { $0 == "A" })
        #expect(requests.inputs == ["A", "C", "B"])
        #expect(requests.waitingCount == 2)
    }

    @Test("A refusal is reported also if the screen was left, until the next change")
    func refusals() {
        let refusals = MutableProperty<[MovieRefusal?]>([])
        changes.watchRefusals().startWithValues { refusal in refusals.modify { $0.append(refusal) } }
        save("A").start().dispose()
        #expect(refusals.value.isEmpty)
        requests.fail(.fixture())
        let refusal = MovieRefusal(of: .alteration(of: .fixture()), .fixture(title: "A"), .fixture())
        #expect(refusals.value == [refusal])
        save("B").start()
        #expect(refusals.value == [refusal, nil])
    }

    @Test("A refusal is over when a later change of the movie has succeeded, which trying it again would undo")
    func overtaken() {
        let refusals = MutableProperty<[MovieRefusal?]>([])
        changes.watchRefusals().startWithValues { refusal in refusals.modify { $0.append(refusal) } }
        save("A").start().dispose()
        save("B").start().dispose()
        requests.fail(.fixture())
        #expect(refusals.value.last??.movie.title == "A")
        requests.answer(.fixture())
        #expect(refusals.value.count == 2 && refusals.value.last == .some(nil))
    }

    @Test(
        "Each change of a mirrored movie goes on after its screen was left, and its refusal is reported",
        arguments: [MovieRefusal.Change.addition, .alteration(of: .fixture()), .deletion])
    func wiring(change: MovieRefusal.Change) async throws {
        let movie = Movie.fixture()
        try await withMovies([movie]) { (server) async throws in
            let controller = try controller(server)
            let refusals = MutableProperty<[MovieRefusal?]>([])
            controller.watchRefusals().startWithValues { refusal in refusals.modify { $0.append(refusal) } }
            server.backend.misbehave(.fail(rate: 1, status: 422))
            switch change {
            case .addition: controller.addMovie(movie).start().dispose()
            case let .alteration(original): controller.changeMovie(movie, basedOn: original).start().dispose()
            case .deletion: controller.deleteMovie(movie).start().dispose()
            }
            await eventually("the refusal is reported") { refusals.value.last??.change == change }
            #expect(refusals.value.last??.movie == movie)
        }
    }

    @Test("The last of two savings of a movie wins, also if the server is slow with the first one")
    func lastWins() async throws {
        let movie = Movie.fixture()
        try await withMovies([movie]) { (server) async throws in
            let controller = try controller(server)
            let count = MutableProperty(0)
            server.backend.misbehave(.delay(.milliseconds(200)), times: 1)
            for title in ["A", "B"] {
                controller.changeMovie(.fixture(title: title), basedOn: movie)
                    .startWithCompleted { count.modify { $0 += 1 } }
            }
            await eventually("both are saved") { count.value == 2 }
            #expect(try await server.table.object(withId: movie.id).value()?.title == "B")
        }
    }

    @Test("A saving that the server refuses after its form was left is reported on the list, and tried again there")
    func leaving() async throws {
        try await withMovies([.fixture(title: "Alien")]) { (server) async throws in
            let builder = try MoviesBuilder(accessible: server.session, database: SQLiteDatabase(.memory))
            let flow = MoviesFlowController(builder)
            flow.start()
            let person = ScriptedPerson(flow.screens)
            try await person.uses("Alien")
            try await person.uses("Edit")
            try await person.types("Aliens", into: "Title")
            server.backend.misbehave(.fail(rate: 1, status: 422), on: .patch, times: 1)
            try await person.uses("Save")
            try await person.uses("Back")
            try await person.uses("Back")
            try await person.sees("The changes of “Aliens” could not be saved.")
            try await person.uses("Try again")
            try await person.doesNotSee("could not be saved")
            try await person.sees("Aliens")
            #expect(try await server.table.object(withId: Movie.fixture().id).value()?.title == "Aliens")
        }
    }

    private func controller(
        _ server: MoviesServer
    ) throws -> MoviesBusinessController<PostgRESTStore<Movie>, SQLiteStore<Movie>> {
        let database = try SQLiteDatabase(.memory)
        return MoviesBusinessController(
            movies: MirroredStore(
                Movie.schema, remote: server.remote, local: try SQLiteStore(Movie.schema, in: database),
                answers: try AnswerLog(in: database)))
    }
}
