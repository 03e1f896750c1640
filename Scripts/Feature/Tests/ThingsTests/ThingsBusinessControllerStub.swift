import Feedback
import FeedbackTesting
import Networking
import Things

/// A business controller that answers when the test says so.
struct ThingsBusinessControllerStub: ThingsBusinessControllerProtocol {
    let things = Stub<Void, [Thing], CoreError>()

    func fetchThings() -> SignalProducer<[Thing], CoreError> { things() }
}
