/// An action together with the screen that takes it: what a control does when it is used.
public struct AnyAction: Sendable, CustomStringConvertible {
    private let action: any Sendable
    private let take: @Sendable () -> Void

    init<Action: Sendable>(_ action: Action, take: @escaping @Sendable () -> Void) {
        self.action = action
        self.take = take
    }

    /// The same action, which also calls `report` with the screen's own action each time before it is taken.
    func reporting(_ report: @escaping @Sendable (_ action: any Sendable) -> Void) -> AnyAction {
        AnyAction(action) { [action, take] in
            report(action)
            take()
        }
    }

    /// Sends the action to its screen, if that is still there.
    public func callAsFunction() { take() }

    public var description: String { "\(action)" }
}
