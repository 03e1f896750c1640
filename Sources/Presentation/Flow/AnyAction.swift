/// An action together with the screen that takes it: what a control does when it is used.
public struct AnyAction: Sendable, CustomStringConvertible {
    private let action: any Sendable
    private let take: @Sendable () -> Void

    init<Action: Sendable>(_ action: Action, take: @escaping @Sendable () -> Void) {
        self.action = action
        self.take = take
    }

    /// The same action, which also calls `report` each time before it is taken.
    func reporting(_ report: @escaping @Sendable () -> Void) -> AnyAction {
        AnyAction(action) { [take] in
            report()
            take()
        }
    }

    /// Sends the action to its screen, if that is still there.
    public func callAsFunction() { take() }

    public var description: String { "\(action)" }
}
