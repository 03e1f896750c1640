/// Says how a state looks: a pure function, so the same state gives the same screen, whoever asks, wherever and when.
///
/// ```swift
/// struct CounterRenderer: Renderer {
///     func render(_ count: Int) -> Screen<CounterViewModel.Action> {
///         Screen(
///             title: "Counter",
///             sections: [.init(rows: [.value("Count", "\(count)")])],
///             actions: [.init("Increment", key: "+", action: .increment)])
///     }
/// }
/// ```
public protocol Renderer<State, Action>: Sendable {
    associatedtype State: Sendable
    associatedtype Action: Sendable

    func render(_ state: State) -> Screen<Action>
}
