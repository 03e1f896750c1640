/// A recipe for a stream: each start carries it out anew, for one observer.
///
/// ```swift
/// let city = SignalProducer<City, ApiError> { observer, lifetime in
///     let request = api.request("/v1/cities/7") { observer.send(value: $0); observer.sendCompleted() }
///     lifetime.observeEnded { request.cancel() }
/// }
/// let disposable = city.map(\.name).startWithResult { print($0) }
/// disposable.dispose()                            // cancels the request
/// ```
///
/// Disposing the result of a start delivers `interrupted` and tears the work down. Nothing is delivered after that.
public struct SignalProducer<Value: Sendable, Error: Swift.Error>: Sendable {
    /// The signal that each start makes.
    public typealias ProducedSignal = Signal<Value, Error>

    @usableFromInline typealias Recipe = @Sendable (Observer<Value, Error>, Lifetime) -> Void

    /// Carries out the recipe. It keeps law 1 towards the observer, delivers `interrupted` when the lifetime ends
    /// first, and leaves it to the caller to end the lifetime after the end of the stream.
    @usableFromInline let begin: Recipe
    /// The properties of the recipe that are known before it runs.
    @usableFromInline let stage: Stage

    @inlinable
    @_disfavoredOverload  // A trailing closure means the start handler.
    init(_ origin: Stage.Origin = .work, begin: @escaping Recipe) {
        self.begin = begin
        stage = Stage(origin)
    }

    /// Makes a producer whose recipe delivers only inside the events that it gets from one of `previous`.
    @inlinable
    init(after previous: Stage, begin: @escaping Recipe) {
        self.init(at: previous.next, begin: begin)
    }

    @inlinable
    init(at stage: Stage, begin: @escaping Recipe) {
        self.stage = stage
        self.begin = stage.isBoundary ? segmented(begin, stage) : begin
    }

    // MARK: - Making

    /// Makes a producer from a function that starts the work.
    ///
    /// - Parameter startHandler: Called for each start. It may send from any thread, even after the end: late events
    ///   are dropped. The lifetime ends with the stream, or when the start is disposed. When the observer's last copy
    ///   is released before the end, the stream is interrupted.
    @inlinable
    public init(_ startHandler: @escaping @Sendable (_ observer: Observer<Value, Error>, _ lifetime: Lifetime) -> Void)
    {
        self.init(
            .guarded,
            begin: { observer, lifetime in
                // Another part of the same stream, which was started before this one, may have ended it.
                if lifetime.hasEnded { return observer.finish(.interrupted) }
                let gate = Gate(observer)
                // Inserted first, so that the gate is closed before the rest is torn down.
                lifetime.scope.insert(gate)
                startHandler(gate.input, lifetime)
            })
    }

    /// A producer of one value.
    @inlinable
    public init(value: Value) {
        self.init(
            .immediate,
            begin: { observer, lifetime in
                observer.receive(value)
                observer.finish(lifetime.completion())
            })
    }

    /// A producer of one value that is made anew by each start.
    @inlinable
    public init(_ action: @escaping @Sendable () -> Value) {
        self.init(
            .immediate,
            begin: { observer, lifetime in
                if lifetime.hasEnded { return observer.finish(.interrupted) }
                observer.receive(action())
                observer.finish(lifetime.completion())
            })
    }

    /// A producer of the value, or the error, that each start gets from `action`.
    @inlinable
    public init(_ action: @escaping @Sendable () -> Result<Value, Error>) {
        self.init(
            .immediate,
            begin: { observer, lifetime in
                if lifetime.hasEnded { return observer.finish(.interrupted) }
                switch action() {
                case let .success(value):
                    observer.receive(value)
                    observer.finish(lifetime.completion())
                case let .failure(error):
                    observer.finish(.failed(error))
                }
            })
    }

    /// A producer that fails at once.
    @inlinable
    public init(error: Error) {
        self.init(.immediate, begin: { observer, _ in observer.finish(.failed(error)) })
    }

    /// A producer of the value, or the error, of `result`.
    @inlinable
    public init(result: Result<Value, Error>) {
        self.init(
            .immediate,
            begin: { observer, lifetime in
                switch result {
                case let .success(value):
                    observer.receive(value)
                    observer.finish(lifetime.completion())
                case let .failure(error):
                    observer.finish(.failed(error))
                }
            })
    }

    /// A producer of the elements of a sequence.
    @inlinable
    public init<S: Sequence & Sendable>(_ values: S) where S.Element == Value {
        self.init(
            .immediate,
            begin: { observer, lifetime in
                for value in values {
                    if lifetime.hasEnded { return observer.finish(.interrupted) }
                    observer.receive(value)
                }
                observer.finish(lifetime.completion())
            })
    }

    /// A producer of the values that are listed.
    @inlinable
    public init(values first: Value, _ second: Value, _ tail: Value...) {
        let values = [first, second] + tail
        self.init(values)
    }

    /// A producer that observes a signal from each start on.
    @inlinable
    public init(_ signal: Signal<Value, Error>) {
        self.init(
            .guarded,
            begin: { observer, lifetime in
                lifetime.scope.insert(signal.core.observe(observer, interrupts: true))
            })
    }

    /// A producer of the current value of a property, and then of each change.
    public init(_ property: some PropertyProtocol<Value>) where Error == NoError {
        self = property.producer
    }

    /// A producer that completes at once.
    @inlinable
    public static var empty: SignalProducer {
        SignalProducer(.immediate, begin: { observer, _ in observer.finish(.completed) })
    }

    /// A producer that never delivers anything, until it is disposed.
    public static var never: SignalProducer {
        SignalProducer { observer, lifetime in
            // Held as long as the stream lasts, because releasing it would end the stream.
            lifetime.observeEnded { withExtendedLifetime(observer) {} }
        }
    }

    // MARK: - Starting

    /// Starts the work and delivers its events to `observer`.
    ///
    /// - Returns: A disposable that interrupts the stream and tears the work down.
    @inlinable
    @discardableResult
    public func start(_ observer: Observer<Value, Error> = Observer()) -> any Disposable {
        let scope = CompositeDisposable()
        let sink = observer.onFinish { (end: Termination<Error>) in
            observer.finish(end)
            scope.dispose()
        }
        start(sink, in: scope)
        return scope
    }

    /// Starts the work, and delivers its events to `observer`, which disposes `scope` at the end.
    @inlinable
    func start(_ observer: Observer<Value, Error>, in scope: CompositeDisposable) {
        begin(stage.origin.guarding(observer, during: scope), Lifetime(scope))
    }

    /// Starts the work and calls `action` with every event.
    @inlinable
    @discardableResult
    public func start(_ action: @escaping @Sendable (SignalEvent<Value, Error>) -> Void) -> any Disposable {
        start(Observer(action))
    }

    /// Starts the work and calls `action` with each value, and with the error if it fails.
    @inlinable
    @discardableResult
    public func startWithResult(_ action: @escaping @Sendable (Result<Value, Error>) -> Void) -> any Disposable {
        start(Observer(value: { action(.success($0)) }, failed: { action(.failure($0)) }))
    }

    /// Starts the work and calls `action` when it completes.
    @inlinable
    @discardableResult
    public func startWithCompleted(_ action: @escaping @Sendable () -> Void) -> any Disposable {
        start(Observer(completed: action))
    }

    /// Starts the work and calls `action` if it fails.
    @inlinable
    @discardableResult
    public func startWithFailed(_ action: @escaping @Sendable (Error) -> Void) -> any Disposable {
        start(Observer(failed: action))
    }

    /// Starts the work and calls `action` if it is interrupted.
    @inlinable
    @discardableResult
    public func startWithInterrupted(_ action: @escaping @Sendable () -> Void) -> any Disposable {
        start(Observer(interrupted: action))
    }

    /// Starts the work as a signal, which `setup` can observe any number of times before the first event.
    ///
    /// - Parameter setup: Gets the signal, and a disposable that interrupts it. If it interrupts at once, the work does
    ///   not start.
    /// - Returns: The result of `setup`.
    @discardableResult
    public func startWithSignal<Result>(
        _ setup: (_ signal: Signal<Value, Error>, _ interruptHandle: any Disposable) -> Result
    ) -> Result {
        let core = SignalCore<Value, Error>()
        let scope = CompositeDisposable()
        // When the signal ends, or goes out of use, the work ends. When the work is disposed, the signal is
        // interrupted.
        core.scope.insert(scope)
        let interruption = scope.add { core.finish(.interrupted) }
        let signal = Signal(core: core)
        let result = setup(signal, scope)
        if !scope.isDisposed {
            // The scheduler that delivers all other events delivers the interruption too.
            if stage.origin == .scheduled { interruption?.dispose() }
            begin(stage.origin == .scheduled ? core.input.until(scope) : core.input, Lifetime(scope))
        }
        return withExtendedLifetime(signal) { result }
    }
}

extension SignalProducer where Error == NoError {
    /// Starts the work and calls `action` with each value.
    @inlinable
    @discardableResult
    public func startWithValues(_ action: @escaping @Sendable (Value) -> Void) -> any Disposable {
        let scope = CompositeDisposable()
        start(Observer(receive: action, finish: { _ in scope.dispose() }), in: scope)
        return scope
    }
}

extension SignalProducer where Error == any Swift.Error {
    /// A producer of the value that each start gets from `action`, or of the error that it throws.
    public init(_ action: @escaping @Sendable () throws -> Value) {
        self.init(
            .immediate,
            begin: { observer, lifetime in
                if lifetime.hasEnded { return observer.finish(.interrupted) }
                SignalProducer(result: Result(catching: action)).begin(observer, lifetime)
            })
    }
}
