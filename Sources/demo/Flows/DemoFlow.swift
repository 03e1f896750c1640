import Foundation
import LocalBackend
import Networking
import Presentation

/// A feature as the demo shows it: what it needs of a backend, how it begins, and what a person does with it.
protocol DemoFlow: Sendable {
    var feature: DemoFeature { get }

    /// Adds what the feature asks of a backend, with data to show.
    func serve(on backend: LocalBackend)

    /// The same, with data that is kept in a file, where the feature's backend can keep data.
    func serve(on backend: LocalBackend, keepingDataIn database: URL?) throws

    /// The flow, ready to be started on `screens`.
    func makeController(_ materials: DemoMaterials, on screens: ScreenStack) -> any FlowController

    /// Does what a person would, from the first screen to the end of the flow.
    func play(_ person: ScriptedPerson) async throws(ScriptError)
}

extension DemoFlow {
    func serve(on backend: LocalBackend, keepingDataIn database: URL?) throws { serve(on: backend) }
}

/// All features, in the order in which they are shown. A new one is added here, and nowhere else.
let allFlows: [any DemoFlow] = [
    CitiesDemo(), MoviesDemo(), AnimalsDemo(),
]

/// What the flows are built of.
struct DemoMaterials: Sendable {
    let session: BackendSession
    let log: EventLog
    /// Where to keep data; `nil` for memory.
    let database: URL?
}
