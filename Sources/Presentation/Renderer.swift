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
    /// The states that it shows.
    associatedtype State: Sendable
    /// The actions that its controls take.
    associatedtype Action: Sendable

    /// Returns the screen of a state.
    func render(_ state: State) -> Screen<Action>
}

/// The parts of its screens, by their short names.
extension Renderer {
    /// A section of the screen.
    public typealias Section = Screen<Action>.Section
    /// A row of the screen.
    public typealias Row = Screen<Action>.Row
    /// A button of the screen.
    public typealias Button = Screen<Action>.Button
    /// A notice on the screen.
    public typealias Notice = Screen<Action>.Notice
}
