/// Leads a person through the screens of a feature: shows the first one, and follows the routes out of each.
///
/// ```swift
/// final class CounterFlowController: FlowController {
///     let screens = ScreenStack()
///
///     func start() {
///         screens.push(builder.counter(onRoute: { [weak screens] route in
///             switch route { case .leave: screens?.pop() }
///         }))
///     }
/// }
/// ```
///
/// Keep it as long as its screens are shown, if it follows their routes with functions of its own (`[weak self]`): the screens do
/// not keep it, and nothing follows a route when it is gone.
///
/// Screens know nothing of each other; only the flow controller does. Its stack may hold the screens of the flow that
/// began this one: it pushes its screens above those, and when its first screen is popped, they show again.
public protocol FlowController: AnyObject, Sendable {
    /// The stack on which the flow pushes its screens.
    var screens: ScreenStack { get }

    /// Shows the first screen.
    func start()
}
