import Feedback
import Networking

public protocol DeparturesBusinessControllerProtocol: Sendable {
    func fetchDepartures() -> SignalProducer<DeparturesResponse, CoreError>
}

public struct DeparturesBusinessController: DeparturesBusinessControllerProtocol {
    private let accessible: any Accessible

    public init(accessible: any Accessible) {
        self.accessible = accessible
    }

    public func fetchDepartures() -> SignalProducer<DeparturesResponse, CoreError> {
        accessible.access(DeparturesService.fetchDepartures())
    }
}
