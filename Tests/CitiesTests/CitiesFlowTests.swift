import CitiesBackend
import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import LocalBackend
import Networking
import Presentation
import Testing

@testable import Cities

/// The whole feature, over real sockets.
struct CitiesFlowTests {
    @Test("From the list over the form to the confirmation, and to the answer of a question")
    func wholeFlow() async throws {
        try await withFlow { backend, flow, person in
            try await person.sees("Zürich")
            try await person.uses("London")
            try await person.types("Sherlock Holmes", into: "Recipient")
            try await person.types("221B Baker Street", into: "Street")
            try await person.types("NW1 6XE", into: "Postal code")
            try await person.uses("Order")
            try await person.sees("Your delivery is on its way.")
            let order = try #require(backend.requests.last)
            #expect(try order.decode(Address.self) == .fixture())
            #expect(order.headers["Authorization"] == "Bearer test")

            try await person.uses("Done")
            try await person.uses("Ask a question")
            try await person.types("How long?", into: "Question")
            try await person.uses("Ask")
            try await person.sees("The list of cities says so.")
            try await person.uses("Back")
            try await person.uses("Leave")
            #expect(flow.screens.screens.isEmpty)
        }
    }

    @Test("Two quick taps on a city lead to one delivery, two on order to one request")
    func doubleTaps() async throws {
        try await withFlow { backend, flow, person in
            try await person.uses("London", times: 2)
            #expect(flow.screens.screens.count == 2)
            try await person.types("Sherlock Holmes", into: "Recipient")
            try await person.types("221B Baker Street", into: "Street")
            try await person.types("NW1 6XE", into: "Postal code")
            try await person.uses("Order", times: 2)
            try await person.sees("Your delivery is on its way.")
            #expect(backend.requests.filter { $0.method == .post }.count == 1)
        }
    }

    @Test("An order that is tried again has the same key, and another order another one")
    func keys() async throws {
        try await withFlow(prepare: { $0.misbehave(.fail(rate: 1), on: .post, times: 1) }) { backend, _, person in
            for order in 1...2 {
                try await person.uses("London")
                try await person.types("Sherlock Holmes", into: "Recipient")
                try await person.types("221B Baker Street", into: "Street")
                try await person.types("NW1 6XE", into: "Postal code")
                try await person.uses("Order")
                if order == 1 { try await person.uses("Try again") }
                try await person.sees("Your delivery is on its way.")
                try await person.uses("Done")
            }
            let keys = backend.requests.filter { $0.method == .post }.map { $0.headers["Idempotency-Key"] }
            #expect(keys.count == 3)
            #expect(keys.first != .some(nil) && keys[0] == keys[1] && keys[1] != keys[2])
        }
    }

    @Test("The server delivers once for each key, to the address of the last order")
    func deliveriesOfServer() async throws {
        let server = CitiesBackend()
        try await withFlow(prepare: server.serve) { backend, _, _ in
            let controller = CitiesBusinessController(accessible: session(with: try #require(backend.address)))
            let key = UUID()
            for street in ["1 Street", "2 Street"] {
                _ = try await controller.requestDelivery(to: .fixture(street: street), key: key).collected()
            }
            #expect(server.deliveries == [.fixture(street: "2 Street")])
            _ = try await controller.requestDelivery(to: .fixture(), key: UUID()).collected()
            #expect(server.deliveries.count == 2)
        }
    }

    @Test("The server refuses an address that the form refuses, and remembers only the last deliveries")
    func limitsOfServer() async throws {
        let server = CitiesBackend(remembering: 2)
        try await withFlow(prepare: server.serve) { backend, _, _ in
            let controller = CitiesBusinessController(accessible: session(with: try #require(backend.address)))
            for address in [
                Address.fixture(street: " "), .fixture(street: "Baker Street"), .fixture(recipient: ""),
                .fixture(postalCode: "!"), .fixture(recipient: String(repeating: "ä", count: 201)),
            ] {
                let error = await #expect(throws: CoreError.self) {
                    _ = try await controller.requestDelivery(to: address, key: UUID()).collected()
                }
                #expect(error.map { "\($0)" }?.contains("422") == true)
            }
            #expect(server.deliveries.isEmpty)
            for number in 1...3 {
                _ = try await controller.requestDelivery(to: .fixture(street: "\(number) Street"), key: UUID())
                    .collected()
            }
            #expect(server.deliveries.map(\.street) == ["2 Street", "3 Street"])
        }
    }

    @Test("A server that fails shows its error, and trying again gets the cities")
    func retry() async throws {
        try await withFlow(prepare: { $0.misbehave(.fail(rate: 1), on: .get, times: 1) }) { _, _, person in
            try await person.sees("503")
            try await person.uses("Try again")
            try await person.sees("London")
        }
    }

    @Test("Leaving the screen cancels its request")
    func leaving() async throws {
        let wasCancelled = MutableProperty(false)
        let hang: @Sendable (LocalBackend) -> Void = { backend in
            backend.get("/v1/cities") { _ in
                do { try await Task.sleep(for: .seconds(600)) } catch { wasCancelled.value = true }
                return .status(204)
            }
        }
        try await withFlow(prepare: hang) { backend, flow, _ in
            await eventually("the request is sent") { backend.requests.count == 1 }
            let leave = flow.screens.top?.screen.actions.first { $0.title == "Leave" }
            leave?.action()
            await eventually("the request is cancelled") { wasCancelled.value }
        }
    }

    @Test("No feature knows a transport or a server")
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

// MARK: - Running the flow

private func withFlow(
    prepare: (LocalBackend) -> Void = { _ in },
    _ body: (LocalBackend, CitiesFlowController, ScriptedPerson) async throws -> Void
) async throws {
    let backend = LocalBackend()
    backend.get("/v1/cities") { _ in
        .json(["cities": [City.fixture(), .fixture(number: 2, name: "Zürich", country: "CH")]])
    }
    backend.post("/v1/cities/delivery") { _ in .status(201) }
    backend.post("/v1/questions") { _ in .json([Question.fixture()]) }
    prepare(backend)
    let url = try await backend.start()
    let flow = CitiesFlowController(CitiesBuilder(accessible: session(with: url)))
    flow.start()
    do {
        try await body(backend, flow, ScriptedPerson(flow.screens))
    } catch {
        await backend.stop(within: .zero)
        throw error
    }
    await backend.stop(within: .zero)
}

private func session(with url: URL) -> BackendSession {
    BackendSession(
        environment: BackendEnvironment(name: "test", services: [.core: url]),
        credentials: FixedCredentials(.bearer("test")))
}
