import Feedback
import Synchronization

/// A screen that is in use: a view model wired to its renderer and to where its routes lead.
///
/// ```swift
/// LiveScreen(CitiesViewModel(businessController: controller), CitiesRenderer()) { route in … }
/// ```
///
/// It holds the view model, so letting go of it ends the screen and cancels what the screen has under way.
public final class LiveScreen: Sendable {
    /// One value at once, then one after each change of the state.
    public let changes: SignalProducer<Void, NoError>

    /// Open while the screen is on top of its stack. What lies beneath goes nowhere.
    let gate = RouteGate()

    /// Shows the screen in a state of its view model, such as one that an ``EventLog`` has kept; `nil` if the state is
    /// another screen's. It can be kept without keeping the screen.
    public let look: @Sendable (_ state: any Sendable) -> Screen<AnyAction>?

    private let render: @Sendable () -> Screen<AnyAction>
    private let routing: ScopedDisposable
    private let viewModel: any Sendable

    /// - Parameter onRoute: Called with each route that the view model asks for while the screen is on top of its stack.
    public init<Model: ViewModel, Look: Renderer>(
        _ viewModel: Model, _ renderer: Look, onRoute: @escaping @Sendable (Model.Route) -> Void
    ) where Look.State == Model.State, Look.Action == Model.Action {
        let state = viewModel.state
        // What a display keeps of a screen must not keep the screen going.
        weak let model = viewModel
        let liven: @Sendable (Screen<Model.Action>) -> Screen<AnyAction> = { screen in
            screen.map { action in AnyAction(action) { model?.send(action) } }
        }
        self.viewModel = viewModel
        changes = state.producer.map { _ in }
        render = { liven(renderer.render(state.value)) }
        look = { ($0 as? Model.State).map { liven(renderer.render($0)) } }
        let routes = viewModel.routes.observeValues { [gate] route in if gate.isOpen { onRoute(route) } }
        routing = ScopedDisposable(routes ?? AnyDisposable())
    }

    /// The screen as it looks now.
    public var screen: Screen<AnyAction> { render() }
}

/// Lets a screen's routes through, or not.
final class RouteGate: Sendable {
    private let open = Atomic(false)

    var isOpen: Bool {
        get { open.load(ordering: .acquiring) }
        set { open.store(newValue, ordering: .releasing) }
    }
}
