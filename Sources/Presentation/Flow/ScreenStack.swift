import Feedback

/// The screens that a person has gone through, the last one on top.
///
/// It holds them: a screen that is popped ends. Only the screen on top has its routes followed, so two quick taps on one
/// control lead to one screen.
public final class ScreenStack: Sendable {
    private let stack = MutableProperty<[LiveScreen]>([])

    public init() {}

    /// The screens, from the first to the one on top.
    public var screens: [LiveScreen] { stack.value }

    /// The screen on top; `nil` when the flow has come to its end, or not begun.
    public var top: LiveScreen? { stack.value.last }

    /// One value at once, then one whenever the screen on top, or its state, has changed.
    public var changes: SignalProducer<Void, NoError> {
        stack.producer.flatMap(.latest) { screens in
            screens.last?.changes ?? SignalProducer(value: ())
        }
    }

    public func push(_ screen: LiveScreen) {
        change { $0.append(screen) }
    }

    /// Takes the screen on top away.
    public func pop() {
        change { _ = $0.popLast() }
    }

    /// Takes away all screens above the first `count`.
    public func pop(to count: Int) {
        change { $0.removeLast(max(0, $0.count - max(0, count))) }
    }

    private func change(_ body: (inout [LiveScreen]) -> Void) {
        // What is popped ends when the last reference goes, which is here, outside the property's lock.
        let before = stack.value
        stack.modify { screens in
            screens.last?.gate.isOpen = false
            body(&screens)
            screens.last?.gate.isOpen = true
        }
        withExtendedLifetime(before) {}
    }
}
