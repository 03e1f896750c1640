import Feedback
import Presentation

/// All that has happened in the loops of a session, for the inspector.
///
/// It keeps events, not states: those are computed again when they are looked at, so the cost of listening does not
/// depend on the size of the state. Beyond a limit, the oldest events are dropped, and with its last one each model that
/// is gone.
package final class StepHistory: Sendable {
    /// Something that happened in a loop.
    struct Moment: Sendable {
        /// The time since the history began.
        let time: Duration
        /// The number of the model, from 0.
        let model: Int
        let kind: Kind
    }

    enum Kind: Sendable {
        case initial
        case reduced(any Sendable, EventSource)
        case withdrawn(any Sendable, EventSource)
        case started(LoopEffect)
        case ended(LoopEffect, LoopEffect.End)
    }

    struct Model: Sendable {
        let id: Int
        let name: String
        let look: (@Sendable (any Sendable) -> Screen<AnyAction>?)?
        let reduce: @Sendable (inout any Sendable, any Sendable) -> Void
        /// The state before the first event that is kept.
        var base: any Sendable
    }

    /// The models and steps that are kept.
    struct Contents: Sendable {
        /// The models by their numbers.
        var models: [Int: Model] = [:]
        /// The number of all models so far.
        var modelCount = 0
        /// The number of moments that were dropped.
        var dropped = 0
        var moments: [Moment] = []

        /// The number of all moments so far.
        var end: Int { dropped + moments.count }

        /// The numbers of the models by their ids.
        fileprivate var numbers: [Int: Int] = [:]
        fileprivate var isTrimming = false
    }

    /// Emits at once, and after each step that is noted.
    let changes = MutableProperty(())
    private let contents = Locked(Contents())
    /// The ids of the models that the stack reports on.
    private let running = Locked<@Sendable () -> Set<Int>>({ [] })
    private let start = ContinuousClock.now
    private let maximum: Int

    package init(maximum: Int = 20_000) {
        self.maximum = max(4, maximum)
    }

    var current: Contents { contents.withLock { $0 } }

    /// The number of moments so far.
    var end: Int { contents.withLock(\.end) }

    // MARK: - Listening

    /// Records the steps of all loops of a stack from now on, until the returned disposable is disposed.
    package func follow(_ screens: ScreenStack) -> any Disposable {
        running.withLock { $0 = { [weak screens] in screens?.reportedIDs ?? [] } }
        return screens.steps.startWithValues { [weak self] step in self?.note(step) }
    }

    package func note(_ step: ScreenStack.Step) {
        let time = ContinuousClock.now - start
        let isFull = contents.withLock { contents in
            var kinds = Self.kinds(of: step.step)
            if contents.numbers[step.id] == nil, let state = Self.state(in: step.step) {
                // A model that was forgotten, as its screen was left for long, goes on from here.
                if case .reduced = step.step { kinds = [.initial] }
                contents.numbers[step.id] = contents.modelCount
                contents.models[contents.modelCount] =
                    Model(id: step.id, name: step.name, look: step.look, reduce: step.reduce, base: state)
                contents.modelCount += 1
            }
            if let number = contents.numbers[step.id] {
                contents.moments += kinds.map { Moment(time: time, model: number, kind: $0) }
            }
            let isFull = contents.moments.count > maximum && !contents.isTrimming
            if isFull { contents.isTrimming = true }
            return isFull
        }
        changes.value = ()
        if isFull { Task.detached { [weak self] in self?.trim() } }
    }

    private static func kinds(of step: LoopStep<any Sendable, any Sendable>) -> [Kind] {
        switch step {
        // Effects that began before the first listener.
        case let .initial(_, running): [.initial] + running.map(Kind.started)
        case let .reduced(event, source, _): [.reduced(event, source)]
        case let .withdrawn(event, source): [.withdrawn(event, source)]
        case let .started(effect): [.started(effect)]
        case let .ended(effect, end): [.ended(effect, end)]
        }
    }

    private static func state(in step: LoopStep<any Sendable, any Sendable>) -> (any Sendable)? {
        switch step {
        case let .initial(state, _), let .reduced(_, _, state): state
        case .withdrawn, .started, .ended: nil
        }
    }

    /// Drops the oldest moments, so that three quarters of the maximum are left. Their events are first applied to the
    /// models' base states.
    private func trim() {
        var isFull = true
        while isFull {
            let before = current
            let oldest = before.moments.prefix(before.moments.count - maximum / 4 * 3)
            var states = before.models.mapValues(\.base)
            for moment in oldest {
                guard case let .reduced(event, _) = moment.kind else { continue }
                before.models[moment.model]?.reduce(&states[moment.model, default: ()], event)
            }
            // Dropped moments are released at the end of this line, outside the lock.
            isFull = withExtendedLifetime(before) { drop(oldest.count, bases: states) }
        }
    }

    /// - Returns: True if the history is still, or again, full.
    private func drop(_ count: Int, bases: [Int: any Sendable]) -> Bool {
        let running = running.withLock { $0 }()
        return contents.withLock { contents in
            for (number, base) in bases { contents.models[number]?.base = base }
            contents.moments.removeFirst(count)
            contents.dropped += count
            // A model that is gone and has no moments left cannot be looked at any more.
            let used = Set(contents.moments.map(\.model))
            contents.models = contents.models.filter { used.contains($0.key) || running.contains($0.value.id) }
            contents.numbers = contents.numbers.filter { contents.models[$0.value] != nil }
            contents.isTrimming = contents.moments.count > maximum
            return contents.isTrimming
        }
    }
}

// MARK: - States

extension StepHistory.Contents {
    /// The moment with a number; `nil` if it was dropped or has not happened yet.
    subscript(number: Int) -> StepHistory.Moment? {
        (dropped..<end).contains(number) ? moments[number - dropped] : nil
    }

    /// Returns the states of a model before and after a moment.
    func states(of model: Int, at number: Int) -> (before: any Sendable, after: any Sendable)? {
        guard let known = models[model], self[number] != nil else { return nil }
        var state = known.base
        for moment in moments[..<(number - dropped)] where moment.model == model {
            if case let .reduced(event, _) = moment.kind { known.reduce(&state, event) }
        }
        let before = state
        if let moment = self[number], moment.model == model, case let .reduced(event, _) = moment.kind {
            known.reduce(&state, event)
        }
        return (before, state)
    }

    /// Returns the screen that was shown at a moment: the model's, or, if it has none, the one that changed last.
    func screen(at number: Int) -> Screen<AnyAction>? {
        guard let moment = self[number] else { return nil }
        var model = moment.model
        if models[model]?.look == nil {
            let earlier = moments[..<(number - dropped)].last { models[$0.model]?.look != nil }
            guard let earlier else { return nil }
            model = earlier.model
        }
        return states(of: model, at: number).flatMap { models[model]?.look?($0.after) }
    }
}
