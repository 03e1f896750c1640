/// Decides which inner streams of a flattened stream run, wait, or are to be disposed. `FlattenRunner` carries this
/// out.
@usableFromInline
struct FlattenMachine<Inner: Sendable, Scope: CompositeDisposable>: Sendable {
    @usableFromInline typealias Key = Bag<Scope>.Key

    /// The way in which an inner stream is to be started.
    @usableFromInline
    struct Start: Sendable {
        @usableFromInline let key: Key
        /// The scope of the stream's work; disposed when the stream does not count any more.
        @usableFromInline let scope: Scope
        /// The stream whose place it takes, which is to be disposed first.
        @usableFromInline let replaced: Scope?

        @inlinable
        init(key: Key, scope: Scope, replaced: Scope?) {
            self.key = key
            self.scope = scope
            self.replaced = replaced
        }
    }

    /// An inner stream that has waited, and is to be started now.
    @usableFromInline typealias Next = (inner: Inner, start: Start)

    /// The consequence of the end of an inner stream.
    @usableFromInline
    enum Consequence: Sendable {
        case nothing
        case start(Next)
        case complete
    }

    @usableFromInline let kind: FlattenStrategy.Kind
    @usableFromInline var running = Bag<Scope>()
    /// The key of the stream that was started last.
    @usableFromInline var latest: Key = 0
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
    @inlinable @inline(__always)
    mutating func arrive(_ inner: Inner, in scope: @autoclosure () -> Scope) -> Start? {
        guard !isDisposed else { return nil }
        switch kind {
        case .latest:
            let replaced = running.isEmpty ? nil : running.remove(latest)
            return start(in: scope(), replacing: replaced)
        case let .concurrent(limit):
            if running.count < limit { return start(in: scope()) }
            waiting.append(inner)
            return nil
        case .race:
            return winner == nil ? start(in: scope()) : nil
        case .throttle:
            return running.isEmpty ? start(in: scope()) : nil
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
        if !waiting.isEmpty, let next = waiting.popFirst() { return .start((next, start(in: scope()))) }
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

    @inlinable @inline(__always)
    mutating func start(in scope: Scope, replacing replaced: Scope? = nil) -> Start {
        latest = running.insert(scope)
        return Start(key: latest, scope: scope, replaced: replaced)
    }
}
