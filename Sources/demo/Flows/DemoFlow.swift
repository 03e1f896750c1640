import Foundation
import LocalBackend
import Networking
import Presentation

/// A feature in the demo: its backend, its flow, and a script that uses the flow.
protocol DemoFlow: Sendable {
    var feature: DemoFeature { get }

    /// Adds the feature's routes to a backend, with data to show.
    func serve(on backend: LocalBackend)

    /// Adds the routes with data that is kept in a database, if the feature's backend can keep data.
    func serve(on backend: LocalBackend, keepingDataIn place: ServedDatabase.Place) throws

    /// Adds the routes with a saved feed, if the feature shows one.
    func serve(on backend: LocalBackend, feed: Data)

    /// Makes the flow, to be started on `screens`.
    func makeController(_ materials: DemoMaterials, on screens: ScreenStack) -> any FlowController

    /// The source that makes the flow in a package that uses this one.
    var source: FlowSource { get }

    /// Uses the flow as a person would, from its first screen to its end.
    func play(_ person: ScriptedPerson) async throws
}

extension DemoFlow {
    func serve(on backend: LocalBackend, keepingDataIn place: ServedDatabase.Place) throws { serve(on: backend) }

    func serve(on backend: LocalBackend, feed: Data) {}

    /// Adds the routes with the data that the arguments name.
    func serve(on backend: LocalBackend, for arguments: Arguments) throws {
        // In a run the feature keeps the data. A backend that runs alone keeps it itself.
        try serve(on: backend, keepingDataIn: arguments.command == .serve ? .named(in: arguments) : .memory)
        if let feed = arguments.feed { serve(on: backend, feed: try Data(contentsOf: feed)) }
    }
}

/// Source that makes the constant `flow`, for tests that are written from recordings.
struct FlowSource: Sendable {
    let imports: [String]
    /// Lines that use `session`, `screens`, `now` and `ids`.
    let lines: [String]
}

/// All features, in the order in which they are shown. Add a new feature here, and nowhere else.
let allFlows: [any DemoFlow] = [
    CitiesDemo(), MoviesDemo(), AnimalsDemo(), QuakesDemo(), TimelineDemo(),
]

/// The parts of which the flows are built.
struct DemoMaterials: Sendable {
    let session: BackendSession
    /// The place to keep data in; `nil` for memory.
    let database: URL?
    /// The clock of the features.
    var now: @Sendable () -> Date = { Date() }
    /// Makes the ids of the objects that the features add.
    var makeID: @Sendable () -> UUID = { UUID() }
    /// `true` if changes are kept in an outbox until they are sent.
    var usesOutbox = false
    /// The acts of the person during which there is no network; `nil` if it is always there.
    var offlineActs: Range<Int>?
}
