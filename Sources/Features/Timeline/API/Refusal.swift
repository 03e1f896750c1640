import Feedback
import Networking

/// A change that the server has refused, and the error.
public struct Refusal: Equatable, Sendable {
    /// The change that was asked for.
    public enum Request: Equatable, Sendable {
        case act(StatusAct)
        case renaming(Account.ID, to: String)
    }

    public var request: Request
    public var error: CoreError

    public init(of request: Request, _ error: CoreError) {
        self.request = request
        self.error = error
    }

    /// Makes the refusal of an act on a status.
    public init(_ act: StatusAct, _ error: CoreError) { self.init(of: .act(act), error) }

    /// The act that was refused; `nil` if it was a renaming.
    public var act: StatusAct? { if case let .act(act) = request { act } else { nil } }
}

extension SignalProducer where Error == CoreError {
    /// Sets `refusal` if the server refuses the request, and to `nil` when the request starts.
    func reportingRefusals(of request: Refusal.Request, to refusal: MutableProperty<Refusal?>) -> SignalProducer {
        on(starting: { refusal.value = nil }, failed: { refusal.value = Refusal(of: request, $0) })
    }
}
