/// The time until something ends. The end can be observed through it, but not caused.
///
/// A producer's start handler gets one, so that it can tear down what it started; objects have one through a
/// ``Token``, so that bindings to them end with them.
public struct Lifetime: Sendable {
    @usableFromInline let scope: CompositeDisposable

    @inlinable
    init(_ scope: CompositeDisposable) {
        self.scope = scope
    }

    /// Makes a lifetime that ends when its token is disposed or released.
    ///
    /// ```swift
    /// final class Session {
    ///     let (lifetime, token) = Lifetime.make()   // ends with the session
    /// }
    /// ```
    public static func make() -> (lifetime: Lifetime, token: Token) {
        let token = Token()
        return (Lifetime(token.scope), token)
    }

    /// A lifetime that has already ended.
    public static var empty: Lifetime {
        let scope = CompositeDisposable()
        scope.dispose()
        return Lifetime(scope)
    }

    /// True if the lifetime has ended.
    @inlinable
    public var hasEnded: Bool { scope.hasBeenDisposed }

    /// A signal that completes when the lifetime ends.
    public var ended: Signal<Never, NoError> {
        Signal { observer, lifetime in
            lifetime += observeEnded { observer.sendCompleted() }
        }
    }

    /// Makes the lifetime that ends when `token` is disposed or released.
    public init(_ token: Token) {
        self.init(token.scope)
    }

    /// Runs `action` once when the lifetime ends, at once if it has ended.
    ///
    /// - Returns: A disposable that takes the action out again; `nil` if it was run at once.
    @discardableResult
    public func observeEnded(_ action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        scope.add(action)
    }

    /// Disposes `disposable` when the lifetime ends: `lifetime += producer.start()`.
    @discardableResult
    public static func += (lifetime: Lifetime, disposable: (any Disposable)?) -> (any Disposable)? {
        lifetime.scope.add(disposable)
    }

    /// An object that ends a lifetime when it is disposed or released.
    public final class Token: Disposable {
        let scope = CompositeDisposable()

        /// Makes a token for one lifetime: `Lifetime(token)`.
        public init() {}

        deinit { scope.dispose() }

        public var isDisposed: Bool { scope.isDisposed }

        public func dispose() { scope.dispose() }
    }
}
