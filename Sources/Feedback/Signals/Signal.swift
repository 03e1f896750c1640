/// A stream that is under way whether or not it is observed, and whose observers all get the same events.
///
/// ```swift
/// let (signal, observer) = Signal<Int, NoError>.pipe()
/// signal.map { $0 * 2 }.observeValues { print($0) }
/// observer.send(value: 21)                       // 42
/// ```
///
/// An operator attaches to its source once, when it is applied, and shares its result among its own observers. A signal
/// lives as long as it is held or observed; then it releases its source.
///
/// An observer never gets two events at once. A value that an observer sends into the signal that is calling it is
/// delivered after the one under way. So is a value that another thread sends meanwhile: the thread that is delivering
/// delivers it too, and the sender goes on at once. This has two consequences:
///
/// - A value is delivered on the thread that sends it, or on another one that is sending, observing or disposing at the
///   same time. To observe on the main thread, use ``observeOnMain(_:)``, even if only the main thread seems to send.
/// - A thread that sends may have to deliver for others before it returns: at most 256 of their values; fewer, but at
///   least four, if they take ten milliseconds; and then as many again only if no other thread is sending. The number of
///   values that wait is not bounded; each takes about 64 bytes more than its own size. If values come faster than
///   observers can take them, use `throttle` or `lazyMap`.
public final class Signal<Value: Sendable, Error: Swift.Error>: Sendable {
    /// An observer of this signal's events.
    public typealias Observer = Feedback::Observer<Value, Error>
    /// An event of this signal.
    public typealias Event = SignalEvent<Value, Error>

    @usableFromInline let core: SignalCore<Value, Error>

    @inlinable
    init(core: SignalCore<Value, Error>) {
        self.core = core
    }

    /// Makes a signal that delivers what `generator` sends, from now on.
    ///
    /// - Parameter generator: Starts the source. The lifetime ends with the signal: at its end, or when the signal is
    ///   neither held nor observed any more. When the observer's last copy is released before the end, the signal is
    ///   interrupted.
    public convenience init(_ generator: (_ observer: Observer, _ lifetime: Lifetime) -> Void) {
        let core = SignalCore<Value, Error>()
        generator(core.input, Lifetime(core.scope))
        self.init(core: core)
    }

    deinit { core.release() }

    // MARK: - Making

    /// A signal together with the observer that feeds it.
    ///
    /// - Parameter disposable: Disposed when the signal ends.
    @inlinable
    public static func pipe(disposable: (any Disposable)? = nil) -> (output: Signal, input: Observer) {
        let core = SignalCore<Value, Error>()
        if let disposable { core.scope.insert(disposable) }
        return (Signal(core: core), core.input)
    }

    /// A signal that never delivers anything.
    public static var never: Signal {
        Signal(core: SignalCore())
    }

    /// A signal that has ended: each observer gets `interrupted` at once.
    public static var empty: Signal {
        Signal { observer, _ in observer.sendCompleted() }
    }

    // MARK: - Observing

    /// Delivers every event from now on to `observer`; `interrupted`, at once, if the signal has ended.
    ///
    /// - Returns: A disposable that ends the observation. Nothing is delivered after that, not even the end.
    @inlinable
    @discardableResult
    public func observe(_ observer: Observer) -> (any Disposable)? {
        core.observe(observer)
    }

    /// Calls `action` with every event from now on.
    @inlinable
    @discardableResult
    public func observe(_ action: @escaping @Sendable (Event) -> Void) -> (any Disposable)? {
        core.observe(Observer(action))
    }

    /// Calls `action` with each value from now on, and with the error if the signal fails.
    @inlinable
    @discardableResult
    public func observeResult(_ action: @escaping @Sendable (Result<Value, Error>) -> Void) -> (any Disposable)? {
        core.observe(Observer(value: { action(.success($0)) }, failed: { action(.failure($0)) }))
    }

    /// Calls `action` when the signal completes.
    @inlinable
    @discardableResult
    public func observeCompleted(_ action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        core.observe(Observer(completed: action))
    }

    /// Calls `action` when the signal fails.
    @inlinable
    @discardableResult
    public func observeFailed(_ action: @escaping @Sendable (Error) -> Void) -> (any Disposable)? {
        core.observe(Observer(failed: action))
    }

    /// Calls `action` when the signal is interrupted; at once if it has ended.
    @inlinable
    @discardableResult
    public func observeInterrupted(_ action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        core.observe(Observer(interrupted: action))
    }

    // MARK: - Deriving

    /// Makes a signal that shares this one's lane.
    ///
    /// - Parameter transform: Delivers only inside the events that it gets.
    @inlinable
    func passing<U, F>(
        _ transform: (SignalProducer<Value, Error>) -> SignalProducer<U, F>
    ) -> Signal<U, F> {
        let derived = SignalCore<U, F>(lane: core.lane, depth: core.depth &+ 1)
        transform(unretainedProducer).begin(derived.output, Lifetime(derived.scope))
        return Signal<U, F>(core: derived)
    }

    /// Makes a signal that shares this one's lane, with one call and one object less than with a producer.
    @inlinable
    func passing<Step: SignalStep & ~Copyable>(_ step: consuming Step) -> Signal<Step.Output, Error>
    where Step.Input == Value {
        let derived = SteppingCore<Step, Error>(step, lane: core.lane, depth: core.depth &+ 1)
        derived.scope.insert(core.observe(derived.stepInput))
        return Signal<Step.Output, Error>(core: derived)
    }

    /// Makes a signal with a lane of its own.
    @inlinable
    func derive<U, F>(
        _ transform: (SignalProducer<Value, Error>) -> SignalProducer<U, F>
    ) -> Signal<U, F> {
        transform(unretainedProducer).asSignal()
    }

    /// A producer that observes this signal, without holding it, for a signal that is made of it.
    ///
    /// When it is disposed it does not deliver `interrupted`, because the other signal has ended or been released by
    /// then.
    @inlinable
    var unretainedProducer: SignalProducer<Value, Error> {
        let core = core
        return SignalProducer(begin: { observer, lifetime in
            lifetime.scope.insert(core.observe(observer))
        })
    }
}

extension Signal where Error == NoError {
    /// Calls `action` with each value from now on.
    @inlinable
    @discardableResult
    public func observeValues(_ action: @escaping @Sendable (Value) -> Void) -> (any Disposable)? {
        core.observe(Observer(value: action))
    }
}

// MARK: - Input

extension SignalCore {
    /// Delivers inside the lane of this signal, for the signal before it in the same lane.
    ///
    /// Every 32nd signal of a long chain delivers in a step of its own, after the one under way, so that the depth of
    /// the stack does not grow with the length of the chain.
    @inlinable
    var output: Observer<Value, Error> {
        if isSpecialized(forLarge: Value.self) { return unspecializedOutput }
        return output(receive: { self.deliver($0) })
    }

    /// - Parameter receive: Works inside the lane, and delivers there.
    @inlinable
    func output<Input>(receive: @escaping @Sendable (Input) -> Void) -> Observer<Input, Error> {
        if depth % 32 != 0 { return Observer(receive: receive, finish: { self.deliver($0) }) }
        return Observer(
            receive: { value in self.lane.perform { receive(value) } },
            finish: { end in self.lane.perform { self.deliver(end) } })
    }

    /// Feeds the signal. When its last copy is released before the end, the signal is interrupted.
    @inlinable
    var input: Observer<Value, Error> {
        if isSpecialized(forLarge: Value.self) { return unspecializedInput }
        let input = SignalInput(self)
        return Observer(receive: { input.core.send($0) }, finish: { input.core.finish($0) })
    }
}

extension SignalCore {
    /// The same as `input`, for a source that works inside the lane of this signal.
    @inlinable
    var inputInLane: Observer<Value, Error> {
        if isSpecialized(forLarge: Value.self) { return unspecializedInputInLane }
        let input = SignalInput(self)
        return Observer(receive: { input.core.deliver($0) }, finish: { input.core.deliver($0) })
    }
}

@usableFromInline
final class SignalInput<Value: Sendable, Error: Swift.Error>: Sendable {
    @usableFromInline let core: SignalCore<Value, Error>

    @inlinable
    init(_ core: SignalCore<Value, Error>) {
        self.core = core
    }

    @inlinable
    deinit { core.finish(.interrupted) }
}
