import Feedback
import Networking

/// What the screens of the cities need to have done.
public protocol CitiesBusinessControllerProtocol: Sendable {
    func fetchCities() -> SignalProducer<CitiesResponse, CoreError>
    /// Completes when the delivery is ordered.
    func requestDelivery(to address: Address) -> SignalProducer<Never, CoreError>
    /// The questions that others have asked about what `query` says, with their answers.
    func obtainQuestions(about query: String) -> SignalProducer<[Question], CoreError>
}

public struct CitiesBusinessController: CitiesBusinessControllerProtocol {
    private let accessible: any AuthenticatedAccessible

    public init(accessible: any AuthenticatedAccessible) {
        self.accessible = accessible
    }

    public func fetchCities() -> SignalProducer<CitiesResponse, CoreError> {
        accessible.access(CitiesService.fetchCitiesWithDecoder())
    }

    public func requestDelivery(to address: Address) -> SignalProducer<Never, CoreError> {
        accessible.access(CitiesService.requestDelivery(), with: address)
    }

    public func obtainQuestions(about query: String) -> SignalProducer<[Question], CoreError> {
        accessible.access(CitiesService.obtainQuestions(query: query))
    }
}
