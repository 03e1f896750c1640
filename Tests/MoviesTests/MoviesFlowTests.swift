import Feedback
import Fixtures
import Foundation
import LocalBackend
import Movies
import Persistence
import Presentation
import Testing

/// The feature as it is built, over real sockets.
struct MoviesFlowTests {
    private let movies: [Movie] = (1...25).map {
        .fixture(id: .fixture($0), title: "Movie \($0 < 10 ? "0" : "")\($0)", rating: $0 < 20 ? .R : .PG_13)
    }

    @Test("Browsing: the list goes on page by page, and is searched, filtered and sorted by the server")
    func browsing() async throws {
        try await withFlow(movies) { (backend, flow) in
            await eventually { flow.shows("The first 20 movies.") }
            try await flow.use("More")
            await eventually { flow.shows("25 movies in all.") }
            try await flow.use("PG-13")
            await eventually { flow.shows("6 movies in all.") }
            try await flow.type("movie 23", into: "Title")
            await eventually { flow.shows("1 movie in all.") }
            let target = try #require(backend.requests.last?.target)
            #expect(target.contains("rating=eq.PG-13"))
            #expect(target.contains("title=ilike."))
            try await flow.use("Leave")
            await eventually { flow.screens.screens.isEmpty }
        }
    }

    @Test("Adding and changing a movie shows it in the list, and two quick taps send it once")
    func editing() async throws {
        try await withFlow([]) { (backend, flow) in
            await eventually { flow.shows("There are no movies yet.") }
            try await flow.use("Add a movie")
            try await flow.type("Alien", into: "Title")
            try await flow.type("11,000,000", into: "Budget in dollars")
            try await flow.use("Save", times: 2)
            await eventually { flow.shows("is saved.") }
            #expect(backend.requests.filter { $0.method == .post }.count == 1)
            try await flow.use("Done")
            await eventually { flow.shows("1 movie in all.") }

            try await flow.use("Alien")
            try await flow.type("1979", into: "Year")
            try await flow.use("Save")
            await eventually { flow.shows("is saved.") }
            try await flow.use("Done")
            await eventually { flow.shows("1979") }
            #expect(backend.requests.contains { $0.method == .patch })
        }
    }

    @Test("The network goes away and the list still works, marked as the copy, until the network is back")
    func withoutNetwork() async throws {
        try await withFlow(movies) { (backend, flow) in
            await eventually { flow.shows("The first 20 movies.") }
            backend.misbehave(.drop)
            try await flow.use("Refresh")
            await eventually { flow.shows("This is the copy on this machine, as it was on") }
            #expect(flow.shows("Movie 20"))
            try await flow.use("PG-13")
            await eventually { flow.shows("as far as it was seen before") }
            #expect(flow.shows("Movie 20"))
            try await flow.use("Any rating")
            await eventually { flow.shows("as it was on") && flow.shows("Movie 01") }
            try await flow.use("More")
            await eventually { flow.shows("Try again") }
            #expect(flow.shows("Movie 20"))

            backend.behave()
            try await flow.use("Try again")
            await eventually { flow.shows("Movie 25") }
            try await flow.use("Refresh")
            await eventually { !flow.shows("This is the copy") && flow.shows("The first 20 movies.") }
        }
    }

    @Test("What cannot be saved is said, and saved when the network is back")
    func savingWithoutNetwork() async throws {
        try await withFlow(movies) { (backend, flow) in
            await eventually { flow.shows("The first 20 movies.") }
            try await flow.use("Movie 01")
            try await flow.type("Changed", into: "Title")
            backend.misbehave(.fail(rate: 1))
            try await flow.use("Save")
            await eventually { flow.shows("cannot be reached") }
            backend.behave()
            try await flow.use("Try again")
            await eventually { flow.shows("is saved.") }
            try await flow.use("Done")
            await eventually { flow.shows("Changed") }
        }
    }
}

// MARK: - Machinery

/// A flow with somebody who uses it.
private struct Flow {
    let controller: MoviesFlowController
    var screens: ScreenStack { controller.screens }

    func shows(_ text: String) -> Bool { screens.top?.screen.text(width: 200).contains(text) ?? false }

    func use(_ name: String, times: Int = 1) async throws {
        let control = try await control(name)
        for _ in 0..<times {
            switch control {
            case let .button(button): button.action()
            case let .choice(choice): choice.action()
            case .field: Issue.record("\(name) is a field.")
            }
        }
    }

    func type(_ text: String, into name: String) async throws {
        guard case let .field(field) = try await control(name) else {
            Issue.record("\(name) is no field.")
            return
        }
        field.edit(text)()
    }

    /// Waits for the control: what is sent while the loop is at something else waits in its queue.
    private func control(_ name: String) async throws -> Screen<AnyAction>.Control {
        let find = { screens.top?.screen.controls.first { $0.name == name && $0.isEnabled } }
        await eventually { find() != nil }
        return try #require(find(), "\(name) among \(screens.top?.screen.controls.map(\.name) ?? [])")
    }
}

private func withFlow(_ movies: [Movie], _ body: (LocalBackend, Flow) async throws -> Void) async throws {
    try await withMovies(movies) { (server) async throws in
        let materials = try MoviesBuildingMaterials(
            accessible: server.session, database: SQLiteDatabase(.memory))
        let flow = Flow(controller: MoviesFlowController(MoviesBuilder(materials)))
        flow.controller.start()
        try await body(server.backend, flow)
    }
}
