/// Turns a state into a screen. It is a pure function: the same state always gives the same screen.
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

/// The parts of its screens, by their short names.
extension Renderer {
    public typealias Section = Screen<Action>.Section
    public typealias Row = Screen<Action>.Row
    public typealias Button = Screen<Action>.Button
    public typealias Notice = Screen<Action>.Notice
}
