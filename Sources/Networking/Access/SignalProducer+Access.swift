import Feedback

extension SignalProducer where Error == CoreError {
    /// Only the end of it.
    func withoutValues() -> SignalProducer<Never, CoreError> {
        then(SignalProducer<Never, CoreError>.empty)
    }

    /// The first value; an end without one is a cancellation.
    func onlyValue() async throws(CoreError) -> Value {
        guard let value = try await first() else { throw .cancelled }
        return value
    }
}
