import Feedback

/// A description of a screen's behaviour: its state, the actions of a person, the events that change the state, the
/// effects that states start, and the routes to other screens.
///
/// ```swift
/// struct CitiesViewModel: ViewModel {
///     struct State: Equatable, Sendable { var cities: [City] = []; var loading = Attempt<CoreError>.underWay() }
///     enum Action: Equatable, Sendable { case refresh, choose(City.ID) }
///     enum Event: ActionEvent { case ui(Action), didLoad([City]), didFail(CoreError) }
///     enum Route: Equatable, Sendable { case deliver(City) }
///
///     let businessController: any CitiesBusinessControllerProtocol
///
///     var initial: State { State() }
///     var feedbacks: [Feedback<State, Event>] { [Self.whenLoading(businessController)] }
///
///     static func whenLoading(_ controller: any CitiesBusinessControllerProtocol) -> Feedback<State, Event> { … }
///     static func reduce(_ state: inout State, _ event: Event) { … }
///     static func route(_ event: Event, _ state: State) -> Route? { … }
/// }
/// ```
///
/// It is a value and does nothing by itself. A ``LiveViewModel`` runs it, a ``LiveScreen`` shows it, and a `LoopTester`
/// tests it step by step.
public protocol ViewModel<State, Action, Route>: Sendable {
    /// All that the screen shows.
    associatedtype State: Sendable
    /// The things that a person can do on the screen.
    associatedtype Action: Sendable
    /// Everything that can change the state: the actions, and the answers of effects.
    associatedtype Event: ActionEvent<Action>
    /// The places to which the screen can lead; `Never` if there are none.
    associatedtype Route: Sendable = Never

    /// The first state.
    var initial: State { get }

    /// The effects that states and events start. By default there are none.
    var feedbacks: [Feedback<State, Event>] { get }

    /// Changes the state by an event. A pure function.
    static func reduce(_ state: inout State, _ event: Event)

    /// Returns the route that an event leads to, if any. A pure function.
    ///
    /// - Parameter state: The state after the event.
    static func route(_ event: Event, _ state: State) -> Route?
}

extension ViewModel {
    public var feedbacks: [Feedback<State, Event>] { [] }
}

extension ViewModel where Route == Never {
    public static func route(_ event: Event, _ state: State) -> Never? { nil }
}

/// An event type with a case for the actions of a person: `enum Event: ActionEvent { case ui(Action), didLoad([City])
/// }`.
public protocol ActionEvent<Action>: Sendable {
    /// The actions of a person.
    associatedtype Action: Sendable

    /// The event of a person's action. The case of the same name meets this requirement.
    static func ui(_ action: Action) -> Self
}
