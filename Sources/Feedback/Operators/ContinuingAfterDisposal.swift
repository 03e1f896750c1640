extension SignalProducer {
    /// Returns a producer whose work goes on to its end when it is disposed of. From then on, its events are dropped.
    ///
    /// ```swift
    /// // The order is placed even if the person leaves the screen before the answer.
    /// let ordering = Feedback<State, Event>(whenBecomesTrue: \.isOrdering) { _ in
    ///     api.order().then(value: Event.didOrder).continuingAfterDisposal()
    /// }
    /// ```
    public func continuingAfterDisposal() -> SignalProducer {
        SignalProducer { [self] observer, _ in start(observer) }
    }
}
