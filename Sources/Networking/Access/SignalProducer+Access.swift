import Feedback

extension SignalProducer where Error == CoreError {
    /// The end of the producer, without its values.
    func withoutValues() -> SignalProducer<Never, CoreError> {
        then(SignalProducer<Never, CoreError>.empty)
    }

    /// The first value; an end without one is a cancellation.
    func onlyValue() async throws(CoreError) -> Value {
        guard let value = try await first() else { throw .cancelled }
        return value
    }
}
