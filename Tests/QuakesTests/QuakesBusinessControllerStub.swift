import Feedback
import FeedbackTesting
import Quakes
import Sync

/// Answers what a test lets it answer.
struct QuakesBusinessControllerStub: QuakesBusinessControllerProtocol {
    let reads = Stub<Void, QuakeCatalog, DataError>()
    let refreshes = Stub<QuakePeriod, QuakeRefresh, DataError>()
    let deletions = Stub<Quake.ID, Never, DataError>()
    let deletionsOfAll = Stub<Void, Never, DataError>()

    func fetchQuakes() -> SignalProducer<QuakeCatalog, DataError> { reads() }
    func refreshQuakes(_ period: QuakePeriod) -> SignalProducer<QuakeRefresh, DataError> { refreshes(period) }
    func deleteQuake(_ id: Quake.ID) -> SignalProducer<Never, DataError> { deletions(id) }
    func deleteAllQuakes() -> SignalProducer<Never, DataError> { deletionsOfAll() }
}
