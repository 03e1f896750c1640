extension SignalProducer {
    /// Returns a producer whose work goes on to its end when it is disposed of. From then on, its events are dropped.
    ///
    /// ```swift
    /// // Leaving the screen ends its effects, but not this request.
    /// func save(_ draft: Draft) -> SignalProducer<Receipt, ApiError> {
    ///     api.save(draft).continuingAfterDisposal()
    /// }
    /// ```
    public func continuingAfterDisposal() -> SignalProducer {
        SignalProducer { [self] observer, _ in start(observer) }
    }
}
