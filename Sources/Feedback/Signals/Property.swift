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
/// title.producer.startWithValues { label.text = $0 }
/// ```
///
/// A property made of others follows them as long as somebody holds it, or observes it, and completes with them.
public final class Property<Value: Sendable>: PropertyProtocol {
    @usableFromInline let core: PropertyCore<Value>
    /// Held as long as this property: what feeds it.
    private let owner: (any Sendable)?

    /// Each change from now on.
    public let signal: Signal<Value, NoError>

    @usableFromInline
    init(core: PropertyCore<Value>, owner: (any Sendable)? = nil) {
        self.core = core
        self.owner = owner
        signal = Signal(core: core.changes)
    }

    /// Makes a property that never changes.
    public convenience init(value: Value) {
        let core = PropertyCore(value)
        core.changes.finish(.completed)
        self.init(core: core)
    }

    /// Makes a property that shows another one, which it keeps alive.
    public convenience init(_ property: MutableProperty<Value>) {
        self.init(core: property.core, signal: property.signal, owner: property)
    }

    /// Makes a property that begins with `initial` and then takes each value of a producer, which it starts.
    public convenience init(
        initial: Value, then values: some SignalProducerConvertible<Value, NoError>
    ) {
        self.init(following: values.producer.starting(with: initial))
    }

    /// Makes a property of a producer whose first value comes at once when it is started.
    convenience init(following producer: SignalProducer<Value, NoError>) {
        let core = Serial<PropertyCore<Value>?>(nil)
        let scope = CompositeDisposable()
        producer.begin(
            Observer(
                receive: { value in
                    if let core = core.value { core.set(value) } else { core.value = PropertyCore(value) }
                },
                finish: { _ in
                    core.value?.changes.finish(.completed)
                    scope.dispose()
                }), Lifetime(scope))
        guard let core = core.value else {
            preconditionFailure("A property was made of a producer that has no value at its start.")
        }
        core.changes.scope.insert(scope)
        self.init(core: core)
    }

    private init(core: PropertyCore<Value>, signal: Signal<Value, NoError>, owner: any Sendable) {
        self.core = core
        self.signal = signal
        self.owner = owner
    }

    /// The current value.
    @inlinable
    public var value: Value { core.value }

    /// The current value at once, then each change.
    @inlinable
    public var producer: SignalProducer<Value, NoError> {
        SignalProducer(begin: { [self] observer, lifetime in core.observe(observer, during: lifetime) })
    }
}
