/// Which inner streams of a flattened stream run, wait, or are to be disposed: decisions without their execution.
@usableFromInline
struct FlattenMachine<Inner: Sendable>: Sendable {
    @usableFromInline typealias Key = Bag<CompositeDisposable>.Key

    /// An inner stream that is to be started.
    @usableFromInline
    struct Start: Sendable {
        @usableFromInline let inner: Inner
        @usableFromInline let key: Key
        /// Holds what the stream is made of; disposed when it does not count any more.
        @usableFromInline let scope: CompositeDisposable
        /// The stream whose place it takes, which is to be disposed first.
        @usableFromInline let replaced: CompositeDisposable?

        @inlinable
        init(inner: Inner, key: Key, scope: CompositeDisposable, replaced: CompositeDisposable?) {
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
    @usableFromInline var running = Bag<CompositeDisposable>()
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
    /// - Returns: How it is to be started, unless it waits or does not count.
    @inlinable
    mutating func arrive(_ inner: Inner) -> Start? {
        guard !isDisposed else { return nil }
        switch kind {
        case .latest:
            return start(inner, replacing: latest.flatMap { running.remove($0) })
        case let .concurrent(limit):
            if running.count < limit { return start(inner) }
            waiting.append(inner)
            return nil
        case .race:
            return winner == nil ? start(inner) : nil
        case .throttle:
            return running.isEmpty ? start(inner) : nil
        }
    }

    /// An inner stream has delivered its first event.
    ///
    /// - Returns: Those who lost against it, which are to be disposed; `nil` if it lost itself.
    @inlinable
    mutating func win(_ key: Key) -> [CompositeDisposable]? {
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
    @inlinable
    mutating func finish(_ key: Key) -> Consequence {
        guard running.remove(key) != nil else { return .nothing }
        if let next = waiting.popFirst() { return .start(start(next)) }
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
    mutating func dispose() -> (running: [CompositeDisposable], waiting: Queue<Inner>) {
        isDisposed = true
        defer { waiting = Queue() }
        return (running.removeAll(), waiting)
    }

    @inlinable
    var isComplete: Bool { outerHasCompleted && running.isEmpty && waiting.isEmpty && !isDisposed }

    @inlinable
    mutating func start(_ inner: Inner, replacing replaced: CompositeDisposable? = nil) -> Start {
        let scope = CompositeDisposable()
        let key = running.insert(scope)
        latest = key
        return Start(inner: inner, key: key, scope: scope, replaced: replaced)
    }
}
