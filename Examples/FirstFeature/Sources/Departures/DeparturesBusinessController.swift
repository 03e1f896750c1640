import Feedback
import Networking

public protocol DeparturesBusinessControllerProtocol: Sendable {
    func fetchDepartures() -> SignalProducer<[Departure], CoreError>
}

public struct DeparturesBusinessController: DeparturesBusinessControllerProtocol {
    private let accessible: any Accessible

    public init(accessible: any Accessible) {
        self.accessible = accessible
    }

    public func fetchDepartures() -> SignalProducer<[Departure], CoreError> {
        accessible.access(DeparturesService.fetchDepartures())
    }
}
