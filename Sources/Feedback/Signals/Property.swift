/// A value that changes over time: it can be read at any moment, and its changes can be followed.
public protocol PropertyProtocol<Value>: AnyObject, SignalProducerConvertible where Error == NoError {
    /// The current value.
    var value: Value { get }

    /// The current value at once, then each change.
    var producer: SignalProducer<Value, NoError> { get }

    /// Each change from now on.
    var signal: Signal<Value, NoError> { get }
}

/// A value that can be watched and not be set.
///
/// ```swift
/// let title = loop.property.map(\.title)
/// title.producer.startOnMain { label.text = $0 }
/// ```
///
/// A property made of others follows them as long as it is held or observed, and completes with them. It is never read
/// older than a read of one of them before: if another thread is about to bring a change, the read waits for that.
///
/// It is a property wrapper too: with `@Property(initial: nil, then: answers) var answer: String?`, `answer` is the value and
/// `$answer` the property. To make a wrapper of a property, write `_answer = other.map(\.answer)` in an initializer.
@propertyWrapper
public final class Property<Value: Sendable>: PropertyProtocol {
    @usableFromInline let core: PropertyCore<Value>
    /// The source of the values, held as long as this property.
    @usableFromInline let owner: (any Sendable)?

    /// Each change from now on.
    public let signal: Signal<Value, NoError>

    @inlinable
    init(core: PropertyCore<Value>, owner: (any Sendable)? = nil) {
        self.core = core
        self.owner = owner
        signal = Signal(core: core.changes)
    }

    /// Makes a property that never changes.
    public convenience init(value: Value) {
        let core = PropertyCore(value)
        core.finish()
        self.init(core: core)
    }

    /// Makes a property with the value of another one, which it keeps alive.
    public convenience init(_ property: MutableProperty<Value>) {
        self.init(core: property.core, signal: property.signal, owner: property)
    }

    /// Makes a property with the value of another one, which it keeps alive.
    public convenience init(capturing property: some PropertyProtocol<Value>) {
        if let property = property as? Property {
            // Its owner, not itself: releasing a long row of properties is no deep recursion then.
            self.init(core: property.core, signal: property.signal, owner: property.owner)
        } else if let property = property as? MutableProperty<Value> {
            self.init(property)
        } else {
            let core = PropertyCore(property.value)
            core.follow(property.producer)
            self.init(core: core, owner: property)
        }
    }

    /// Makes a property that begins with `initial` and then takes each value of a producer, which it starts.
    public convenience init(initial: Value, then values: SignalProducer<Value, NoError>) {
        let core = PropertyCore(initial)
        core.follow(values)
        self.init(core: core)
    }

    /// Makes a property that begins with `initial`, usually `nil`, and then takes each value of a producer, which it
    /// starts.
    public convenience init<Wrapped: Sendable>(
        initial: Value, then values: some SignalProducerConvertible<Wrapped, NoError>
    ) where Value == Wrapped? {
        self.init(initial: initial, then: values.producer.map { Wrapped?.some($0) })
    }

    /// Makes a property that begins with `initial`, usually `nil`, and then takes each value of a producer, which it
    /// starts.
    public convenience init<Wrapped: Sendable>(
        initial: Value, then values: SignalProducer<Wrapped, NoError>
    ) where Value == Wrapped? {
        self.init(initial: initial, then: values.map { Wrapped?.some($0) })
    }

    /// Makes a property that begins with `initial` and then takes each value of a producer, which it starts.
    public convenience init(
        initial: Value, then values: some SignalProducerConvertible<Value, NoError>
    ) {
        self.init(initial: initial, then: values.producer)
    }

    private init(core: PropertyCore<Value>, signal: Signal<Value, NoError>, owner: (any Sendable)?) {
        self.core = core
        self.signal = signal
        self.owner = owner
    }

    /// The current value.
    @inlinable
    public var value: Value { core.value }

    /// The current value, as that of a wrapped variable.
    @inlinable
    public var wrappedValue: Value { value }

    /// The property itself, as `$name` of a wrapped variable `name`.
    @inlinable
    public var projectedValue: Property { self }

    /// The current value at once, then each change.
    @inlinable
    public var producer: SignalProducer<Value, NoError> {
        SignalProducer(.guarded, begin: { [self] observer, lifetime in core.observe(observer, during: lifetime) })
    }
}
