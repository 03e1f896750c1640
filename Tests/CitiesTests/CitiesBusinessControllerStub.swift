import Cities
import Feedback
import FeedbackTesting
import Foundation
import Networking

/// A business controller that answers when the test says so.
struct CitiesBusinessControllerStub: CitiesBusinessControllerProtocol {
    let cities = Stub<Void, CitiesResponse, CoreError>()
    let deliveries = Stub<Address, Never, CoreError>()
    let questions = Stub<String, [Question], CoreError>()

    func fetchCities() -> SignalProducer<CitiesResponse, CoreError> { cities() }
    func requestDelivery(to address: Address, key: UUID) -> SignalProducer<Never, CoreError> { deliveries(address) }
    func obtainQuestions(about query: String) -> SignalProducer<[Question], CoreError> { questions(query) }
}
