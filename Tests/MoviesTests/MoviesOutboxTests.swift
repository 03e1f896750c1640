import FeedbackTesting
import Fixtures
import Foundation
import LocalBackend
import Movies
import Persistence
import Presentation
import Sync
import Testing

/// The feature with an outbox, over real sockets.
struct MoviesOutboxTests {
    private let movies: [Movie] = (1...5).map { .fixture(id: .fixture($0), title: "Movie 0\($0)") }

    @Test("A movie that is changed without the network is shown as changed, and sent when the network is back")
    func savingWithoutNetwork() async throws {
        try await withFlow(movies) { (backend, _, person) in
            try await person.sees("5 movies in all.")
            try await person.uses("Movie 01")
            try await person.uses("Edit")
            try await person.types("Changed", into: "Title")
            backend.misbehave(.drop)
            try await person.uses("Save")
            try await person.sees("is saved.")
            try await person.uses("Done")
            try await person.uses("Back")
            try await person.sees("Changed")
            try await person.sees("1 change to be sent")
            backend.behave()
            try await eventually("the change is sent") {
                try await person.looks()?.contains("to be sent") == false
            }
        }
    }

    @Test("A change that the server refuses is shown, and sent once it is mended")
    func mending() async throws {
        try await withFlow(movies) { (backend, _, person) in
            backend.misbehave(.fail(rate: 1, status: 422), on: .patch, times: 1)
            try await change("Movie 01", to: "A wrong title", person)
            try await person.sees("The server has refused a change: update title: \"A wrong title\"")
            try await change("A wrong title", to: "Movie 00", person)
            try await person.sees("Movie 00")
            try await person.doesNotSee("The server has refused")
        }
    }

    @Test("A change that the server refuses can be given up, and the movie is as it was")
    func givingUp() async throws {
        try await withFlow(movies) { (backend, _, person) in
            backend.misbehave(.fail(rate: 1, status: 422), on: .patch, times: 1)
            try await change("Movie 01", to: "A wrong title", person)
            try await person.uses("Give the change up")
            try await person.uses("Keep it")
            try await person.sees("The server has refused a change")
            try await person.uses("Give the change up")
            try await person.sees("A change that is given up is lost")
            try await person.uses("Give it up")
            try await person.doesNotSee("The server has refused a change")
            try await person.sees("Movie 01")
        }
    }

    @Test("The editor does not undo what another device has changed while the form was open")
    func otherDevice() async throws {
        try await withMovies(movies) { (server) async throws in
            let store = try SyncedStore(
                Movie.schema, remote: server.remote, outbox: Outbox(in: SQLiteDatabase(.memory)))
            let controller = SyncedMoviesBusinessController(movies: store)
            _ = try await controller.fetchMovies(.init(), after: nil, atLeast: 0).value()
            let seen = movies[0]
            var elsewhere = seen
            elsewhere.budget = 20
            try await server.table.update([elsewhere])
            _ = try await controller.fetchMovies(.init(), after: nil, atLeast: 0).value()
            var edited = seen
            edited.title = "Changed"
            _ = try await controller.changeMovie(edited, basedOn: seen).value()
            await eventually("the change is sent") { store.outbox.status.value.isInStep }
            let kept = try await server.table.object(withId: seen.id).value()
            #expect(kept?.title == "Changed")
            #expect(kept?.budget == 20)
        }
    }

    private func change(_ movie: String, to title: String, _ person: ScriptedPerson) async throws {
        try await person.uses(movie)
        try await person.uses("Edit")
        try await person.types(title, into: "Title")
        try await person.uses("Save")
        try await person.uses("Done")
        try await person.uses("Back")
    }
}

// MARK: - Running the flow

private func withFlow(
    _ movies: [Movie], _ body: (LocalBackend, MoviesFlowController, ScriptedPerson) async throws -> Void
) async throws {
    try await withMovies(movies) { (server) async throws in
        let outbox = try Outbox(in: SQLiteDatabase(.memory))
        let flow = MoviesFlowController(try MoviesBuilder(accessible: server.session, outbox: outbox))
        flow.start()
        try await body(server.backend, flow, ScriptedPerson(flow.screens))
    }
}
