import Feedback
import Fixtures
import Foundation
import LocalBackend
import Networking
import Presentation
import Testing

@testable import Cities

/// The feature as it is built, over real sockets.
struct CitiesFlowTests {
    @Test("From the list over the form to the confirmation, and to the answer of a question")
    func wholeFlow() async throws {
        try await withFlow { backend, flow in
            await eventually { flow.shows("Zürich") }
            try await flow.use("London")
            try await flow.type("Sherlock Holmes", into: "Recipient")
            try await flow.type("221B Baker Street", into: "Street")
            try await flow.type("NW1 6XE", into: "Postal code")
            try await flow.use("Order")
            await eventually { flow.shows("Your delivery is on its way.") }
            let order = try #require(backend.requests.last)
            #expect(try order.decode(Address.self) == .fixture())
            #expect(order.headers["Authorization"] == "Bearer test")

            try await flow.use("Done")
            try await flow.use("Ask a question")
            try await flow.type("How long?", into: "Question")
            try await flow.use("Ask")
            await eventually { flow.shows("The list of cities says so.") }
            try await flow.use("Back")
            try await flow.use("Leave")
            await eventually { flow.screens.screens.isEmpty }
        }
    }

    @Test("Two quick taps on a city lead to one delivery, two on order to one request")
    func doubleTaps() async throws {
        try await withFlow { backend, flow in
            await eventually { flow.shows("London") }
            try await flow.use("London", times: 2)
            await eventually { flow.screens.screens.count == 2 }
            try await flow.type("Sherlock Holmes", into: "Recipient")
            try await flow.type("221B Baker Street", into: "Street")
            try await flow.type("NW1 6XE", into: "Postal code")
            try await flow.use("Order", times: 2)
            await eventually { flow.shows("Your delivery is on its way.") }
            #expect(backend.requests.filter { $0.method == .post }.count == 1)
        }
    }

    @Test("A server that fails shows its error, and trying again gets the cities")
    func retry() async throws {
        try await withFlow(prepare: { $0.misbehave(.fail(rate: 1), on: .get, times: 1) }) { _, flow in
            await eventually { flow.shows("503") }
            try await flow.use("Try again")
            await eventually { flow.shows("London") }
        }
    }

    @Test("Leaving the screen cancels what it has asked for")
    func leaving() async throws {
        let wasCancelled = MutableProperty(false)
        let hang: @Sendable (LocalBackend) -> Void = { backend in
            backend.get("/v1/cities") { _ in
                do { try await Task.sleep(for: .seconds(60)) } catch { wasCancelled.value = true }
                return .status(204)
            }
        }
        try await withFlow(prepare: hang) { backend, flow in
            await eventually { backend.requests.count == 1 }
            try await flow.use("Leave")
            await eventually { wasCancelled.value }
        }
    }

    @Test("The feature knows of no transport and no server")
    func imports() throws {
        let features = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/Features")
        let files = try #require(
            FileManager.default.enumerator(at: features.standardized, includingPropertiesForKeys: nil))
        var imports: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains("Transport") && !text.contains("BackendSession"), "\(file.lastPathComponent)")
            for line in text.split(separator: "\n") where line.hasPrefix("import ") { imports.insert(String(line)) }
        }
        let allowed = [
            "Feedback", "Foundation", "FoundationNetworking", "Networking", "Persistence", "Presentation",
            "Sync", "Synchronization",
        ]
        #expect(imports.isSubset(of: allowed.map { "import \($0)" }))
        #expect(!imports.isEmpty)
    }
}

// MARK: - Machinery

/// A flow with somebody who uses it.
private struct Flow {
    let controller: CitiesFlowController
    var screens: ScreenStack { controller.screens }

    func shows(_ text: String) -> Bool { screens.top?.screen.text().contains(text) ?? false }

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

    /// Waits for the control: what was sent while another thread was handling an answer is handled after it.
    private func control(_ name: String) async throws -> Screen<AnyAction>.Control {
        await eventually { find(name) != nil }
        return try #require(find(name), "\(name) among \(controls.map(\.name))")
    }

    private func find(_ name: String) -> Screen<AnyAction>.Control? {
        controls.first { $0.name == name && $0.isEnabled }
    }

    private var controls: [Screen<AnyAction>.Control] { screens.top?.screen.controls ?? [] }
}

private func withFlow(
    prepare: (LocalBackend) -> Void = { _ in }, _ body: (LocalBackend, Flow) async throws -> Void
) async throws {
    let backend = LocalBackend()
    backend.get("/v1/cities") { _ in
        .json(["cities": [City.fixture(), .fixture(id: 2, name: "Zürich", country: "CH")]])
    }
    backend.post("/v1/cities/delivery") { _ in .status(201) }
    backend.post("/v1/questions") { _ in .json([Question.fixture()]) }
    prepare(backend)
    let url = try await backend.start()
    let session = BackendSession(
        environment: BackendEnvironment(name: "test", services: [.core: url]),
        credentials: FixedCredentials(.bearer("test")))
    let flow = Flow(controller: CitiesFlowController(CitiesBuilder(CitiesBuildingMaterials(accessible: session))))
    flow.controller.start()
    do {
        try await body(backend, flow)
    } catch {
        await backend.stop(within: .zero)
        throw error
    }
    await backend.stop(within: .zero)
}

/// Waits until the condition holds; generous, for busy machines.
private func eventually(
    within limit: Duration = .seconds(120), sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
) async {
    let end = ContinuousClock.now + limit
    while !condition() {
        guard ContinuousClock.now < end else {
            Issue.record("The condition never held.", sourceLocation: sourceLocation)
            return
        }
        try? await Task.sleep(for: .milliseconds(2))
    }
}
