import Feedback
import FeedbackTesting
import Quakes

/// Answers what a test lets it answer.
struct QuakesBusinessControllerStub: QuakesBusinessControllerProtocol {
    let reads = Stub<Void, QuakeCatalog, QuakesError>()
    let refreshes = Stub<QuakePeriod, QuakeRefresh, QuakesError>()
    let deletions = Stub<Quake.ID, Never, QuakesError>()
    let deletionsOfAll = Stub<Void, Never, QuakesError>()

    func fetchQuakes() -> SignalProducer<QuakeCatalog, QuakesError> { reads() }
    func refreshQuakes(_ period: QuakePeriod) -> SignalProducer<QuakeRefresh, QuakesError> { refreshes(period) }
    func deleteQuake(_ id: Quake.ID) -> SignalProducer<Never, QuakesError> { deletions(id) }
    func deleteAllQuakes() -> SignalProducer<Never, QuakesError> { deletionsOfAll() }
}
