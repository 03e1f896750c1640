/// Decides which inner streams of a flattened stream run, wait, or are to be disposed. `FlattenRunner` carries this
/// out.
@usableFromInline
struct FlattenMachine<Inner: Sendable, Scope: CompositeDisposable>: Sendable {
    @usableFromInline typealias Key = Bag<Scope>.Key

    /// An inner stream that is to be started.
    @usableFromInline
    struct Start: Sendable {
        @usableFromInline let inner: Inner
        @usableFromInline let key: Key
        /// The scope of the stream's work; disposed when the stream does not count any more.
        @usableFromInline let scope: Scope
        /// The stream whose place it takes, which is to be disposed first.
        @usableFromInline let replaced: Scope?

        @inlinable
        init(inner: consuming Inner, key: Key, scope: Scope, replaced: consuming Scope?) {
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

    /// Takes an inner stream that has arrived.
    ///
    /// - Parameter scope: The scope of its work, if it starts now.
    /// - Returns: The start to carry out; `nil` if the stream waits or does not count.
    @inlinable
    mutating func arrive(_ inner: consuming Inner, in scope: @autoclosure () -> Scope) -> Start? {
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

    /// Records that an inner stream has delivered its first event.
    ///
    /// - Returns: The streams that lost against it, which are to be disposed; `nil` if it lost itself.
    @inlinable
    mutating func win(_ key: Key) -> [Scope]? {
        guard winner == nil, let scope = running.remove(key) else { return winner == key ? [] : nil }
        let losers = running.removeAll()
        winner = running.insert(scope, for: key)
        return losers
    }

    /// Records that an inner stream has failed, or was interrupted and the strategy passes that on.
    ///
    /// - Returns: True if that is the end of the whole, because the stream counted.
    @inlinable
    mutating func fail(_ key: Key) -> Bool {
        running.remove(key) != nil
    }

    /// Records that an inner stream has completed.
    ///
    /// - Parameter scope: The scope of the next stream's work, if one has waited.
    @inlinable
    mutating func finish(_ key: Key, next scope: @autoclosure () -> Scope) -> Consequence {
        guard running.remove(key) != nil else { return .nothing }
        if let next = waiting.popFirst() { return .start(start(next, in: scope())) }
        return isComplete ? .complete : .nothing
    }

    /// Records that the outer stream has completed.
    ///
    /// - Returns: True if the whole is complete.
    @inlinable
    mutating func finishOuter() -> Bool {
        outerHasCompleted = true
        return isComplete
    }

    /// Records that the whole has ended.
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
    mutating func start(_ inner: consuming Inner, in scope: Scope, replacing replaced: consuming Scope? = nil) -> Start
    {
        let key = running.insert(scope)
        latest = key
        return Start(inner: inner, key: key, scope: scope, replaced: replaced)
    }
}
