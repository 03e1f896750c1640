precedencegroup BindingPrecedence {
    associativity: right
    // Binds tighter than assignment, looser than everything else.
    higherThan: AssignmentPrecedence
}

infix operator <~ : BindingPrecedence

/// Something to which values can be bound: `target <~ values`.
public protocol BindingTargetProvider<Value> {
    /// The values that the target takes.
    associatedtype Value: Sendable

    /// The target that takes the values.
    var bindingTarget: BindingTarget<Value> { get }
}

/// Something that takes values until its lifetime ends.
public struct BindingTarget<Value: Sendable>: BindingTargetProvider, Sendable {
    /// The lifetime of the target. When it ends, all bindings to the target end.
    public let lifetime: Lifetime

    /// Takes a value.
    public let action: @Sendable (Value) -> Void

    /// The scheduler on which values are taken, if there is one.
    fileprivate let scheduler: (any Scheduler)?
    /// Takes a value on the scheduler.
    fileprivate let take: @Sendable (Value) -> Void

    /// Makes a target that hands each value to `action`, on `scheduler` if there is one.
    public init(
        on scheduler: (any Scheduler)? = nil, lifetime: Lifetime, action: @escaping @Sendable (Value) -> Void
    ) {
        self.lifetime = lifetime
        self.scheduler = scheduler
        take = action
        guard let scheduler else {
            self.action = action
            return
        }
        self.action = { value in
            scheduler.schedule { if !lifetime.hasEnded { action(value) } }
        }
    }

    /// Makes a target that sets a property of an object, which it does not keep alive.
    public init<Object: AnyObject & Sendable>(
        on scheduler: (any Scheduler)? = nil, lifetime: Lifetime, object: Object,
        keyPath: ReferenceWritableKeyPath<Object, Value> & Sendable
    ) {
        self.init(on: scheduler, lifetime: lifetime) { [weak object] value in object?[keyPath: keyPath] = value }
    }

    public var bindingTarget: BindingTarget { self }
}

extension MutableProperty: BindingTargetProvider {
    public var bindingTarget: BindingTarget<Value> {
        BindingTarget(lifetime: lifetime) { [weak self] value in self?.value = value }
    }
}

extension Optional: BindingTargetProvider where Wrapped: BindingTargetProvider {
    /// The target of the wrapped value; one that has ended, if there is none.
    public var bindingTarget: BindingTarget<Wrapped.Value> {
        self?.bindingTarget ?? BindingTarget(lifetime: .empty) { _ in }
    }
}

/// Sends each value of `source` to `observer`, and not the end.
///
/// - Returns: A disposable that ends the binding.
@discardableResult
public func <~ <Value, Error>(
    observer: Observer<Value, Error>, source: some SignalProducerConvertible<Value, NoError>
) -> any Disposable {
    source.producer.startWithValues { observer.send(value: $0) }
}

/// Gives each value of `source` to `target`, until either ends.
///
/// Two properties that are bound to each other pass a value back and forth without end, unless one of them skips repeats:
/// `shown <~ stored`, and then `stored <~ shown.skipRepeats()`.
///
/// - Returns: A disposable that ends the binding.
@discardableResult
public func <~ <Value>(
    target: some BindingTargetProvider<Value>, source: some SignalProducerConvertible<Value, NoError>
) -> (any Disposable)? {
    let target = target.bindingTarget
    guard !target.lifetime.hasEnded else { return nil }
    return bind(source, target)
}

/// Gives each value of `source` to `target`, which takes optional ones, until either ends.
///
/// - Returns: A disposable that ends the binding.
@discardableResult
public func <~ <Value>(
    target: some BindingTargetProvider<Value?>, source: some SignalProducerConvertible<Value, NoError>
) -> (any Disposable)? {
    let target = target.bindingTarget
    guard !target.lifetime.hasEnded else { return nil }
    return bind(source, BindingTarget(on: target.scheduler, lifetime: target.lifetime) { target.take($0) })
}

private func bind<Value>(
    _ source: some SignalProducerConvertible<Value, NoError>, _ target: BindingTarget<Value>
) -> any Disposable {
    let scope = CompositeDisposable()
    // The lifetime forgets the binding when the source ends first.
    let end = target.lifetime += scope
    let producer = target.scheduler.map { source.producer.observe(on: $0) } ?? source.producer
    producer.start(Observer(receive: target.take, finish: { _ in scope.dispose() }), in: scope)
    if let end { scope.insert(end) }
    return scope
}
