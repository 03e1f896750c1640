import Feedback

extension ViewModel {
    /// The state as something that Observation tracks: a SwiftUI view which reads it is drawn again when it changes.
    ///
    /// ```swift
    /// struct CounterView: View {
    ///     let viewModel: CounterViewModel
    ///     @SwiftUI.State private var count: Observed<Int>
    ///
    ///     init(_ viewModel: CounterViewModel) {
    ///         self.viewModel = viewModel
    ///         _count = .init(initialValue: viewModel.observed())
    ///     }
    ///     var body: some View { Button("\(count.value)") { viewModel.send(.increment) } }
    /// }
    /// ```
    ///
    /// - Parameter scheduler: Where changes arrive; on the main thread, where views are drawn, if nothing is said.
    public func observed(on scheduler: any Scheduler = UIScheduler()) -> Observed<State> {
        Observed(state, on: scheduler)
    }
}
