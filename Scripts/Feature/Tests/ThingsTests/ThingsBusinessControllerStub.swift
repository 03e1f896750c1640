import Feedback
import FeedbackTesting
import Networking
import Things

/// A business controller that answers when the test says so.
struct ThingsBusinessControllerStub: ThingsBusinessControllerProtocol {
    let things = Stub<Void, ThingsResponse, CoreError>()

    func fetchThings() -> SignalProducer<ThingsResponse, CoreError> { things() }
}
