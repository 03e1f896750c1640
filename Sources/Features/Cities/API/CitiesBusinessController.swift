import Feedback
import Foundation
import Networking

/// The requests of the cities' screens.
public protocol CitiesBusinessControllerProtocol: Sendable {
    func fetchCities() -> SignalProducer<CitiesResponse, CoreError>
    /// Completes when the delivery is ordered. It can be tried again with the same key: the server then delivers once,
    /// to the address of the last attempt.
    func requestDelivery(to address: Address, key: UUID) -> SignalProducer<Never, CoreError>
    /// Fetches the questions of others about a subject, with their answers.
    func obtainQuestions(about query: String) -> SignalProducer<[Question], CoreError>
}

public struct CitiesBusinessController: CitiesBusinessControllerProtocol {
    private let accessible: any AuthenticatedAccessible

    public init(accessible: any AuthenticatedAccessible) {
        self.accessible = accessible
    }

    public func fetchCities() -> SignalProducer<CitiesResponse, CoreError> {
        accessible.access(CitiesService.fetchCities())
    }

    public func requestDelivery(to address: Address, key: UUID) -> SignalProducer<Never, CoreError> {
        accessible.access(CitiesService.requestDelivery(key: key), with: address)
    }

    public func obtainQuestions(about query: String) -> SignalProducer<[Question], CoreError> {
        accessible.access(CitiesService.obtainQuestions(query: query))
    }
}
