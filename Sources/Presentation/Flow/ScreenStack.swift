import Feedback
import Synchronization

/// The screens that a person has gone through, the last one on top.
///
/// The stack holds its screens: one that is popped ends. Only the routes of the screen on top are followed, so two
/// quick taps on one control lead to one screen.
public final class ScreenStack: Sendable {
    private let stack = MutableProperty<[LiveScreen]>([])
    /// Running models that are not screens, whose steps are reported with those of the screens.
    private let models = MutableProperty<[StepSource]>([])
    let reports = ActReports()

    /// Makes an empty stack.
    public init() {}

    /// The screens, from the first to the one on top.
    public var screens: [LiveScreen] { stack.value }

    /// The screen on top; `nil` before the flow has begun and after its end.
    public var top: LiveScreen? { stack.value.last }

    /// One value at once, then one whenever another screen is on top, or the state of that screen has changed.
    public var changes: SignalProducer<Void, NoError> {
        stack.producer.flatMap(.latest) { screens in
            screens.last?.changes ?? SignalProducer(value: ())
        }
    }

    /// Puts a screen on top, and follows the routes that its view model has asked for already.
    public func push(_ screen: LiveScreen) {
        screen.gate.connect(to: reports)
        change { screens in
            screens.append(screen)
            return []
        }
        screen.gate.passEarlyRoutes()
    }

    /// Removes the screen on top.
    public func pop() {
        change { screens in screens.popLast().map { [$0] } ?? [] }
    }

    /// Removes a screen if it is on top.
    package func pop(_ screen: LiveScreen) {
        change { screens in screens.last === screen ? [screens.removeLast()] : [] }
    }

    /// Removes all screens above the first `count`.
    public func pop(to count: Int) {
        change { screens in
            let popped = Array(screens.dropFirst(max(0, count)))
            screens.removeLast(popped.count)
            return popped
        }
    }

    /// - Parameter body: Returns the screens that it has removed.
    private func change(_ body: (inout [LiveScreen]) -> [LiveScreen]) {
        let popped = stack.modify { screens in
            screens.last?.gate.isOpen = false
            defer { screens.last?.gate.isOpen = true }
            return body(&screens)
        }
        // A popped screen ends when its last reference is released: here, outside the property's lock.
        withExtendedLifetime(popped) {}
    }
}

// MARK: - Steps

extension ScreenStack {
    /// One step of a screen on the stack, or of a model that the stack reports on.
    public struct Step: Sendable {
        /// The name of the view model's type.
        public let name: String
        /// The number of the running model, which distinguishes models of the same type.
        public let id: Int
        /// The event, the effect or the state that the step is about.
        public let step: LoopStep<any Sendable, any Sendable>
        /// Shows the model's screen in one of its states; `nil` if the model has no screen.
        public let look: (@Sendable (_ state: any Sendable) -> Screen<AnyAction>?)?
        /// The model's reducer: computes a state from the one before and an event. It ignores states and events of
        /// other types.
        public let reduce: @Sendable (_ state: inout any Sendable, _ event: any Sendable) -> Void
    }

    /// The steps of the loops of all screens, for logs, reports and inspectors.
    ///
    /// ```swift
    /// screens.steps.startWithValues { print($0.name, $0.step) }
    /// ```
    ///
    /// Each screen's steps begin with its state when it is pushed, or when the listening begins, and end when the
    /// screen ends. The steps of one screen are in order; those of different screens are interleaved as they come.
    public var steps: SignalProducer<Step, NoError> {
        let sources = stack.producer.map { $0.map(\.source) }
            .combineLatest(with: models.producer)
            .map { screens, models in screens + models }
        return SignalProducer { observer, lifetime in
            let known = Locked<Set<Int>>([])
            lifetime +=
                sources
                .flatMap(.merge) { sources in
                    SignalProducer(known.withLock { known in sources.filter { known.insert($0.id).inserted } })
                }
                .flatMap(.merge) { source -> SignalProducer<Step, NoError> in
                    source.steps.map {
                        Step(name: source.name, id: source.id, step: $0, look: source.look, reduce: source.reduce)
                    }
                }
                .start(observer)
        }
    }

    /// The ids of the models whose steps are reported now: those of the screens, and the others that run.
    package var reportedIDs: Set<Int> { Set(screens.map(\.id)).union(models.value.map(\.id)) }

    /// Also reports the steps of a running model that is not a screen, such as one that several screens share. A model that
    /// is reported already is still reported once.
    public func report<Model: ViewModel>(_ model: LiveViewModel<Model>) {
        let source = StepSource(model, look: nil)
        let isNew = models.modify { models in
            if models.contains(where: { $0.model === model }) { return false }
            models.append(source)
            return true
        }
        guard isNew else { return }
        model.state.producer.startWithCompleted { [weak models] in
            models?.modify { $0.removeAll { $0.id == source.id } }
        }
    }
}

/// A loop whose steps a stack reports. Keeping it does not keep the loop.
struct StepSource: Sendable {
    let id: Int
    /// The running model; `nil` if it is gone.
    weak let model: (any AnyObject & Sendable)?
    let name: String
    let steps: SignalProducer<LoopStep<any Sendable, any Sendable>, NoError>
    let look: (@Sendable (_ state: any Sendable) -> Screen<AnyAction>?)?
    let reduce: @Sendable (inout any Sendable, any Sendable) -> Void
    /// Returns the event of an action.
    let event: @Sendable (_ action: any Sendable) -> any Sendable

    private static let count = Atomic(0)

    init<Model: ViewModel>(
        _ model: LiveViewModel<Model>, look: (@Sendable (_ state: any Sendable) -> Screen<AnyAction>?)?
    ) {
        id = Self.count.add(1, ordering: .relaxed).newValue
        self.model = model
        name = "\(Model.self)"
        steps = model.steps.map(\.erased)
        self.look = look
        event = { action in (action as? Model.Action).map(Model.Event.ui) ?? action }
        reduce = { state, event in
            guard var next = state as? Model.State, let event = event as? Model.Event else { return }
            // Only `next` holds the state now, so that it is changed in place.
            state = ()
            Model.reduce(&next, event)
            state = next
        }
    }
}
