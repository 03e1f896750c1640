/// Which inner streams of a flattened stream run, wait, or are to be disposed: decisions without their execution.
@usableFromInline
struct FlattenMachine<Inner: Sendable, Scope: CompositeDisposable>: Sendable {
    @usableFromInline typealias Key = Bag<Scope>.Key

    /// An inner stream that is to be started.
    @usableFromInline
    struct Start: Sendable {
        @usableFromInline let inner: Inner
        @usableFromInline let key: Key
        /// Holds what the stream is made of; disposed when it does not count any more.
        @usableFromInline let scope: Scope
        /// The stream whose place it takes, which is to be disposed first.
        @usableFromInline let replaced: Scope?

        @inlinable
        init(inner: Inner, key: Key, scope: Scope, replaced: Scope?) {
            self.inner = inner
            self.key = key
            self.scope = scope
            self.replaced = replaced
        }
    }

    /// The consequence of the end of an inner stream.
    @usableFromInline
    enum Consequence: Sendable {
        case nothing
        case start(Start)
        case complete
    }

    @usableFromInline let kind: FlattenStrategy.Kind
    @usableFromInline var running = Bag<Scope>()
    @usableFromInline var latest: Key?
    @usableFromInline var winner: Key?
    @usableFromInline var waiting = Queue<Inner>()
    @usableFromInline var outerHasCompleted = false
    @usableFromInline var isDisposed = false

    @inlinable
    init(_ strategy: FlattenStrategy) {
        kind = strategy.kind
    }

    /// An inner stream has come.
    ///
    /// - Parameter scope: Holds what it is made of, if it starts now.
    /// - Returns: How it is to be started, unless it waits or does not count.
    @inlinable
    mutating func arrive(_ inner: Inner, in scope: @autoclosure () -> Scope) -> Start? {
        guard !isDisposed else { return nil }
        switch kind {
        case .latest:
            return start(inner, in: scope(), replacing: latest.flatMap { running.remove($0) })
        case let .concurrent(limit):
            if running.count < limit { return start(inner, in: scope()) }
            waiting.append(inner)
            return nil
        case .race:
            return winner == nil ? start(inner, in: scope()) : nil
        case .throttle:
            return running.isEmpty ? start(inner, in: scope()) : nil
        }
    }

    /// An inner stream has delivered its first event.
    ///
    /// - Returns: Those who lost against it, which are to be disposed; `nil` if it lost itself.
    @inlinable
    mutating func win(_ key: Key) -> [Scope]? {
        guard winner == nil, let scope = running.remove(key) else { return winner == key ? [] : nil }
        let losers = running.removeAll()
        winner = running.insert(scope, for: key)
        return losers
    }

    /// An inner stream has failed, or was interrupted where that matters.
    ///
    /// - Returns: True if that is the end of the whole, as it counted.
    @inlinable
    mutating func fail(_ key: Key) -> Bool {
        running.remove(key) != nil
    }

    /// An inner stream has completed.
    ///
    /// - Parameter scope: Holds what the next one is made of, if one has waited.
    @inlinable
    mutating func finish(_ key: Key, next scope: @autoclosure () -> Scope) -> Consequence {
        guard running.remove(key) != nil else { return .nothing }
        if let next = waiting.popFirst() { return .start(start(next, in: scope())) }
        return isComplete ? .complete : .nothing
    }

    /// The outer stream has completed.
    ///
    /// - Returns: True if the whole is complete.
    @inlinable
    mutating func finishOuter() -> Bool {
        outerHasCompleted = true
        return isComplete
    }

    /// The whole has ended.
    ///
    /// - Returns: All that still run, which are to be disposed.
    @inlinable
    mutating func dispose() -> (running: [Scope], waiting: Queue<Inner>) {
        isDisposed = true
        defer { waiting = Queue() }
        return (running.removeAll(), waiting)
    }

    @inlinable
    var isComplete: Bool { outerHasCompleted && running.isEmpty && waiting.isEmpty && !isDisposed }

    @inlinable
    mutating func start(_ inner: Inner, in scope: Scope, replacing replaced: Scope? = nil) -> Start {
        let key = running.insert(scope)
        latest = key
        return Start(inner: inner, key: key, scope: scope, replaced: replaced)
    }
}
