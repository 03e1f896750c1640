import Feedback

/// What a screen is made of, and what using it means: a state to show, actions to take, and routes out of it.
///
/// ```swift
/// public final class CounterViewModel: ViewModel {
///     public enum Action: Sendable { case increment, leave }
///     public enum Route: Sendable { case leave }
///
///     public var state: Property<Int> { loop.property }
///     public let routes: Signal<Route, NoError>
///     public func send(_ action: Action) { loop.send(.ui(action)) }
/// }
/// ```
///
/// Letting go of a view model ends it, and cancels what it has under way.
public protocol ViewModel<State, Action, Route>: AnyObject, Sendable {
    associatedtype State: Sendable
    /// What a person can do on the screen.
    associatedtype Action: Sendable
    /// Where a person can go from the screen; `Never` for nowhere.
    associatedtype Route: Sendable

    var state: Property<State> { get }

    /// Each wish to go somewhere else. Granting it is the flow controller's business.
    var routes: Signal<Route, NoError> { get }

    func send(_ action: Action)
}
