import Synchronization

/// The identity of one run of an effect, or of a feedback that sends events without one.
///
/// The loop drops a queued event if the token of its effect is withdrawn. A token is also the disposable that ends the
/// effect's work.
@usableFromInline
class EffectToken: CompositeDisposable, @unchecked Sendable {
    // It is not final; each of its variables says what guards it.
    @usableFromInline let feedback: FeedbackID
    /// The token of the part of the state that the feedback is about, if that can go: the effect is withdrawn with it.
    private let part: EffectToken?
    private let withdrawn = Atomic(false)

    // Both are guarded by the lock of the loop's `RunningEffects`.
    /// The effect's number in its loop; 0 if this is not an effect.
    fileprivate final var number = 0
    /// The place in the list of running effects; `nil` before the start and after the end.
    fileprivate final var place: Int?

    @usableFromInline
    init(of feedback: FeedbackID, in part: EffectToken? = nil) {
        self.feedback = feedback
        self.part = part
        super.init()
    }

    @usableFromInline final var isWithdrawn: Bool {
        withdrawn.load(ordering: .acquiring) || part?.isWithdrawn ?? false
    }

    /// True if the effect is withdrawn with `part`.
    fileprivate final func belongs(to part: EffectToken) -> Bool {
        self.part.map { $0 === part || $0.belongs(to: part) } ?? false
    }

    fileprivate final func withdraw() { withdrawn.store(true, ordering: .releasing) }

    // Called only for tokens that have begun: their number does not change again.
    final var effect: LoopEffect { LoopEffect(feedback: feedback, number: number) }

    final var source: EventSource { number == 0 ? .feedback(feedback) : .effect(effect) }
}

/// The running effects of a loop, and those of their starts and ends that are not reported to listeners yet.
///
/// Effects start and end on any thread, and listeners are told in the loop's turn. One lock guards the list and the
/// unreported changes, and withdraws tokens. So the end of an effect is never reported before an event that was reduced
/// ahead of it, nor after an event that was withdrawn because of it:
///
///     the loop's turn                              another thread
///     lock: takes the changes, sees that
///           the token is not withdrawn
///     reduces the event, reports it                lock: withdraws the token, adds the end to the changes
///     lock: takes the end; reports it
@usableFromInline
final class RunningEffects: Sendable {
    /// The start or the end of an effect.
    enum Change: Sendable {
        case started(LoopEffect)
        case ended(LoopEffect, LoopEffect.End)
    }

    fileprivate struct Contents: Sendable {
        var tokens: [EffectToken] = []
        var lastNumber = 0
        var changes: [Change] = []
        /// The effect whose event the loop is reducing, or reacting to, for listeners.
        var answering: EffectToken?
        /// The number of listeners, including those that are still queued to be added.
        var listenerCount = 0
        var hasStopped = false

        var isListened: Bool { listenerCount > 0 }
    }

    private let contents = Locked(Contents())

    @usableFromInline
    init() {}

    // MARK: - From anywhere

    var hasStopped: Bool { contents.withLock { $0.hasStopped } }

    /// Begins an effect, in place of `replaced` if that still runs.
    ///
    /// - Returns: True if there is a change to report; `nil` if the loop has stopped, and the effect must not start.
    @usableFromInline
    func begin(_ token: EffectToken, inPlaceOf replaced: EffectToken? = nil) -> Bool? {
        contents.withLock { contents in
            if let replaced { contents.end(replaced, .replaced, withdrawing: true) }
            guard !contents.hasStopped else { return nil }
            contents.lastNumber += 1
            token.number = contents.lastNumber
            token.place = contents.tokens.count
            contents.tokens.append(token)
            if contents.isListened { contents.changes.append(.started(token.effect)) }
            return contents.isListened
        }
    }

    /// Cancels an effect, and withdraws its queued events, even if it has completed.
    ///
    /// - Returns: True if there is a change to report.
    @usableFromInline
    func cancel(_ token: EffectToken) -> Bool {
        contents.withLock { contents in
            contents.end(token, .cancelled, withdrawing: true)
            return contents.isListened
        }
    }

    /// Cancels the effects of a part of the state, and withdraws all queued events of its feedbacks.
    ///
    /// - Returns: The effects that ran, which are to be disposed.
    func cancelAll(in part: EffectToken) -> [EffectToken] {
        contents.withLock { contents in
            part.withdraw()
            let running = contents.tokens.filter { $0.belongs(to: part) }.sorted { $0.number < $1.number }
            for token in running { contents.end(token, .cancelled, withdrawing: true) }
            return running
        }
    }

    /// Ends an effect that has completed, unless there are listeners: then its queued events come first, and
    /// `complete(_:)` is to be called after them.
    ///
    /// - Returns: True if the effect has ended.
    @usableFromInline
    func completeUnlessListened(_ token: EffectToken) -> Bool {
        contents.withLock { contents in
            if !contents.isListened { contents.end(token, .completed, withdrawing: false) }
            return token.place == nil
        }
    }

    /// Ends an effect that has completed, and whose events are reduced.
    func complete(_ token: EffectToken) {
        contents.withLock { $0.end(token, .completed, withdrawing: false) }
    }

    /// Cancels all effects; none can begin after that.
    ///
    /// - Returns: The effects that ran, which are to be disposed; `nil` if this is not the first call.
    func stop() -> [EffectToken]? {
        contents.withLock { contents in
            guard !contents.hasStopped else { return nil }
            contents.hasStopped = true
            let running = contents.tokens.sorted { $0.number < $1.number }
            for token in running { contents.end(token, .cancelled, withdrawing: true) }
            return running
        }
    }

    /// Called before a listener is queued, so that no effect ends unseen while events of it are queued behind the
    /// listener.
    func expectListener() {
        contents.withLock { $0.listenerCount += 1 }
    }

    // MARK: - In the loop's turn

    /// - Returns: The changes to report to the earlier listeners, and the effects that run after these.
    func changesAndRunning() -> (changes: [Change], running: [LoopEffect]) {
        contents.withLock { contents in
            (contents.takeChanges(), contents.tokens.map(\.effect).sorted { $0.number < $1.number })
        }
    }

    func removeListener() {
        contents.withLock { contents in
            contents.listenerCount -= 1
            if !contents.isListened { contents.changes = [] }
        }
    }

    func takeChanges() -> [Change] {
        contents.withLock { contents in
            contents.answering = nil
            return contents.takeChanges()
        }
    }

    /// Takes the changes to report before an event, and decides if the event is withdrawn: because its token is, or
    /// because the loop has stopped. Both happen under one lock, so that the end of an effect is reported before the
    /// events that are withdrawn because of it.
    func takeChanges(before token: EffectToken?) -> (changes: [Change], isWithdrawn: Bool) {
        contents.withLock { contents in
            let isWithdrawn = contents.hasStopped || token?.isWithdrawn ?? false
            contents.answering = isWithdrawn ? nil : token
            return (contents.takeChanges(), isWithdrawn)
        }
    }
}

extension RunningEffects.Contents {
    fileprivate mutating func takeChanges() -> [RunningEffects.Change] {
        guard !changes.isEmpty else { return [] }
        defer { changes = [] }
        return changes
    }

    fileprivate mutating func end(_ token: EffectToken, _ end: LoopEffect.End, withdrawing: Bool) {
        if withdrawing { token.withdraw() }
        guard let place = token.place else { return }
        token.place = nil
        // The last one takes the place of this one.
        let last = tokens.removeLast()
        if last !== token {
            tokens[place] = last
            last.place = place
        }
        guard isListened else { return }
        changes.append(.ended(token.effect, end == .cancelled && token === answering ? .answered : end))
    }
}
