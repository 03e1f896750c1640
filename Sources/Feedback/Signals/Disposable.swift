import Synchronization

/// Something that is under way, or held, until it is disposed.
public protocol Disposable: AnyObject, Sendable {
    /// True if it has been disposed.
    var isDisposed: Bool { get }

    /// Ends it. Any thread may call this; only the first call does anything.
    func dispose()
}

/// A disposable that runs a function once, when it is disposed.
public final class AnyDisposable: Disposable {
    private let action: Locked<(@Sendable () -> Void)?>
    private let disposed = Atomic(false)

    /// - Parameter action: The function to run on disposal. It is released afterwards.
    public init(_ action: @escaping @Sendable () -> Void = {}) {
        self.action = Locked(action)
    }

    /// Makes a disposable that disposes another one.
    public convenience init(_ disposable: any Disposable) {
        self.init { disposable.dispose() }
    }

    public var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    public func dispose() {
        guard !disposed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        action.withLock { $0.take() }?()
    }
}

/// A disposable that disposes others together with itself.
///
/// A disposable that is added after the disposal is disposed at once.
public class CompositeDisposable: Disposable, @unchecked Sendable {  // Sendable: its state is locked or atomic.
    private let contents = Locked(Contents.none)
    @usableFromInline final let state = Atomic(unused)

    /// Nothing was ever added: disposal has nothing to look for, and takes no lock.
    private static var unused: UInt8 { 0 }
    private static var used: UInt8 { 1 }
    @inlinable static var disposed: UInt8 { 2 }

    /// Most composites hold one disposable. It is stored in place, and removed by the key 0.
    private enum Contents {
        case none
        case one(any Disposable)
        case several(Bag<any Disposable>.Storage)

        mutating func insert(_ disposable: any Disposable) -> UInt {
            switch self {
            case .none:
                self = .one(disposable)
                return 0
            case let .one(first):
                let several = Bag<any Disposable>.Storage()
                _ = several.bag.insert(first)
                self = .several(several)
                return several.bag.insert(disposable)
            case let .several(several):
                return several.bag.insert(disposable)
            }
        }

        mutating func remove(_ key: UInt) -> (any Disposable)? {
            switch self {
            case .none:
                return nil
            case let .one(first):
                guard key == 0 else { return nil }
                self = .none
                return first
            case let .several(several):
                return several.bag.remove(key)
            }
        }

        mutating func removeAll() -> (first: (any Disposable)?, more: [any Disposable]) {
            defer { self = .none }
            switch self {
            case .none: return (nil, [])
            case let .one(first): return (first, [])
            case let .several(several): return (nil, several.bag.removeAll())
            }
        }
    }

    /// Makes an empty composite.
    public init() {}

    /// Makes a composite that holds `disposables` from the start.
    public convenience init(_ disposables: some Sequence<(any Disposable)?>) {
        self.init()
        for disposable in disposables { add(disposable) }
    }

    @inlinable
    public final var isDisposed: Bool { hasBeenDisposed }

    // Inlinable, as a synchronous source asks before each value.
    @inlinable
    final var hasBeenDisposed: Bool { state.load(ordering: .acquiring) == Self.disposed }

    public final func dispose() {
        guard state.exchange(Self.disposed, ordering: .acquiringAndReleasing) == Self.used else { return }
        let (first, more) = contents.withLock { $0.removeAll() }
        first?.dispose()
        for disposable in more { disposable.dispose() }
    }

    /// Disposes `disposable` together with this one.
    ///
    /// - Returns: A disposable that takes it out again, without disposing it; `nil` if it was disposed at once.
    @discardableResult
    public final func add(_ disposable: (any Disposable)?) -> (any Disposable)? {
        guard let disposable, let key = insert(disposable) else { return nil }
        return AnyDisposable { [weak self] in self?.remove(key) }
    }

    /// Runs `action` when this one is disposed.
    ///
    /// - Returns: A disposable that takes the action out again, without running it; `nil` if it was run at once.
    @discardableResult
    public final func add(_ action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        add(AnyDisposable(action))
    }

    /// Adds a disposable, without making one that takes it out again.
    ///
    /// - Returns: The key for `remove(_:)`; `nil` if it was disposed at once.
    @usableFromInline
    @discardableResult
    final func insert(_ disposable: any Disposable) -> UInt? {
        let key: UInt? = contents.withLock { contents in
            // Changed under the lock that `dispose()` empties the bag with: either it finds this one, or this finds it.
            let (_, original) = state.compareExchange(
                expected: Self.unused, desired: Self.used, ordering: .acquiringAndReleasing)
            return original == Self.disposed ? nil : contents.insert(disposable)
        }
        if key == nil { disposable.dispose() }
        return key
    }

    @usableFromInline
    final func remove(_ key: UInt) {
        // Let go of outside the lock.
        _ = contents.withLock { $0.remove(key) }
    }

    /// Adds to a composite: `scope += signal.observeValues { … }`.
    @discardableResult
    public static func += (composite: CompositeDisposable, disposable: (any Disposable)?) -> (any Disposable)? {
        composite.add(disposable)
    }

    /// Adds to a composite: `scope += { … }`.
    @discardableResult
    public static func += (
        composite: CompositeDisposable, action: @escaping @Sendable () -> Void
    ) -> (any Disposable)? {
        composite.add(action)
    }
}

/// A disposable whose content can be replaced; what is replaced is disposed.
public final class SerialDisposable: Disposable {
    private let state: Locked<State>

    private struct State {
        var inner: (any Disposable)?
        var isDisposed = false
    }

    /// Makes a disposable whose first content is `inner`.
    public init(_ inner: (any Disposable)? = nil) {
        state = Locked(State(inner: inner))
    }

    public var isDisposed: Bool { state.withLock { $0.isDisposed } }

    /// Disposed together with this one. Setting another disposes the one before; setting the same does nothing.
    public var inner: (any Disposable)? {
        get { state.withLock { $0.inner } }
        set {
            let replaced: (any Disposable)? = state.withLock { state in
                guard !state.isDisposed else { return newValue }
                guard state.inner !== newValue else { return nil }
                defer { state.inner = newValue }
                return state.inner
            }
            replaced?.dispose()
        }
    }

    public func dispose() {
        let inner: (any Disposable)? = state.withLock { state in
            state.isDisposed = true
            return state.inner.take()
        }
        inner?.dispose()
    }
}

/// A disposable that is disposed when its last reference is released.
///
/// ```swift
/// final class Session {
///     private let scope = ScopedDisposable()
///     init() { scope += connectivity.signal.observeValues { show($0) } }   // until the session goes
/// }
/// ```
public final class ScopedDisposable: Disposable {
    /// The disposable that is disposed together with this one.
    public let inner: any Disposable
    private let added: CompositeDisposable

    /// Makes a scoped disposable that disposes `inner`.
    ///
    /// Disposables that are added stay until this one is disposed, even if `inner` has ended before, as that of a completed
    /// producer has.
    public init(_ inner: any Disposable) {
        self.inner = inner
        added = CompositeDisposable()
    }

    /// Makes a scoped disposable that disposes `inner`, to which others are added.
    public init(_ inner: CompositeDisposable) {
        self.inner = inner
        added = inner
    }

    /// Makes an empty scoped disposable, to which disposables are added.
    public convenience init() {
        self.init(CompositeDisposable())
    }

    deinit { dispose() }

    public var isDisposed: Bool { inner.isDisposed }

    public func dispose() {
        inner.dispose()
        added.dispose()
    }

    /// Disposes another disposable together with this one.
    @discardableResult
    public static func += (scoped: ScopedDisposable, disposable: (any Disposable)?) -> (any Disposable)? {
        scoped.added.add(disposable)
    }

    /// Runs `action` when this one is disposed.
    @discardableResult
    public static func += (scoped: ScopedDisposable, action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        scoped.added.add(action)
    }
}
