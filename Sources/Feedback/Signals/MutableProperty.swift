/// A value that can be set, from any thread, and watched.
///
/// ```swift
/// let query = MutableProperty("")
/// query.producer.startWithValues { print($0) }   // prints "", and then each change
/// query.value = "London"
/// query.modify { $0 += ", GB" }
/// query <~ textField.texts                       // takes each value of a signal from here on
/// ```
///
/// Changes are delivered in the order in which they were made. If an observer sets the property again, that change is
/// delivered after the one under way. Derived properties (`map` and so on) have the change when the setter returns;
/// observers may get it later, on a thread that is delivering another change, or begins to observe. To observe on the
/// main thread, use ``SignalProducer/startOnMain(_:)``. The property completes when its last reference is released.
///
/// It is a property wrapper too, for classes that belong to an actor and for local variables:
///
/// ```swift
/// @MainActor final class Search {
///     @MutableProperty var query = ""
///     lazy var length = $query.map(\.count)       // `$query` is the property, `query` its value
/// }
/// ```
///
/// A `Sendable` class that belongs to no actor has no `var`: there write `let query = MutableProperty("")`.
@propertyWrapper
public final class MutableProperty<Value: Sendable>: PropertyProtocol {
    @usableFromInline let core: PropertyCore<Value>
    private let token = Lifetime.Token()

    /// Each change from now on.
    public let signal: Signal<Value, NoError>

    /// Makes a property with its first value.
    public init(_ initialValue: Value) {
        core = PropertyCore(initialValue)
        signal = Signal(core: core.changes)
    }

    /// Makes a property with its first value: `@MutableProperty var name = ""`.
    public convenience init(wrappedValue: Value) {
        self.init(wrappedValue)
    }

    deinit { core.finish() }

    /// The current value.
    @inlinable
    public var value: Value {
        get { core.value }
        set { core.set(newValue) }
    }

    /// The current value, as that of a wrapped variable.
    @inlinable
    public var wrappedValue: Value {
        get { value }
        set { value = newValue }
    }

    /// The property itself, as `$name` of a wrapped variable `name`.
    @inlinable
    public var projectedValue: MutableProperty { self }

    /// The current value at once, then each change. It does not keep the property alive.
    @inlinable
    public var producer: SignalProducer<Value, NoError> {
        let core = core
        return SignalProducer(.guarded, begin: { observer, lifetime in core.observe(observer, during: lifetime) })
    }

    /// The lifetime of the property.
    public var lifetime: Lifetime { Lifetime(token.scope) }

    /// Replaces the value.
    ///
    /// - Returns: The value that was there before.
    @inlinable
    @discardableResult
    public func swap(_ newValue: Value) -> Value {
        core.swap(newValue)
    }

    /// Changes the value in place, in one step with reading it, and delivers the result; also when `action` throws.
    ///
    /// - Parameter action: Runs under the property's lock: it must not read or set this property, nor read one that is
    ///   derived from it.
    @inlinable
    @discardableResult
    public func modify<Result, Failure>(
        _ action: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try core.modify(action)
    }

    /// Reads the value without copying it.
    ///
    /// - Parameter action: Runs under the property's lock: it must not read or set this property, nor read one that is
    ///   derived from it.
    @inlinable
    public func withValue<Result, Failure>(
        _ action: (Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try core.read(action)
    }
}
