import Feedback

extension SignalProducer where Error == CoreError {
    /// Returns a producer that completes or fails as this one does, without its values.
    func withoutValues() -> SignalProducer<Never, CoreError> {
        then(SignalProducer<Never, CoreError>.empty)
    }

    /// Returns the first value; throws `cancelled` if the producer completes without one.
    func onlyValue() async throws(CoreError) -> Value {
        guard let value = try await first() else { throw .cancelled }
        return value
    }
}
