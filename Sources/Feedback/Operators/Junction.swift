import Synchronization

/// The place at which several streams run into one.
///
/// Their events are worked on one after the other in a lane, in the order in which they arrive. So the state that
/// they share needs no lock, what is delivered keeps the order of what caused it, and law 1 holds for the observer.
@usableFromInline
final class Junction<Value: Sendable, Error: Swift.Error, State>: Disposable, @unchecked Sendable {
    @usableFromInline let lane: SignalLane
    @usableFromInline let isInterrupted = Atomic(false)
    // Both are guarded by the lane, which is why no access needs to be checked.
    /// The observer, retained; `nil` after the end. It is released in the lane, and so never during a delivery. So a
    /// delivery need not retain it, which would take as long as the rest of the delivery.
    @exclusivity(unchecked) @usableFromInline var target: Unmanaged<Target>?
    @exclusivity(unchecked) @usableFromInline var state: State

    @usableFromInline
    final class Target: Sendable {
        @usableFromInline let observer: Observer<Value, Error>

        @inlinable
        init(_ observer: Observer<Value, Error>) {
            self.observer = observer
        }
    }

    /// - Parameters:
    ///   - lifetime: The lifetime of the stream. When it ends, the stream is interrupted at once: events that wait are
    ///     dropped.
    ///   - lane: The lane in which `observer` is called.
    @inlinable
    init(
        _ observer: Observer<Value, Error>, _ lifetime: Lifetime, in lane: SignalLane = SignalLane(), state: State
    ) {
        target = Unmanaged.passRetained(Target(observer))
        self.lane = lane
        self.state = state
        lifetime.scope.insert(self)
    }

    @inlinable
    deinit { target?.release() }

    @usableFromInline var isDisposed: Bool { isInterrupted.load(ordering: .relaxed) }

    @inlinable
    func dispose() {
        isInterrupted.store(true, ordering: .releasing)
        finish(.interrupted)
    }

    // MARK: - From anywhere

    /// Works on `input` in the lane: at once if the lane is free, otherwise after the items that wait. After the end,
    /// it does nothing.
    ///
    /// - Parameter step: Should capture nothing, so that passing it costs nothing.
    @inlinable
    func take<Input: Sendable>(_ input: Input, _ step: @escaping @Sendable (Junction, Input) -> Void) {
        guard lane.lane.enterIfFree() else { return takeLater(input, step) }
        work(on: input, step)
        lane.drain()
    }

    @inlinable @inline(never)
    func takeLater<Input: Sendable>(_ input: Input, _ step: @escaping @Sendable (Junction, Input) -> Void) {
        lane.perform { self.work(on: input, step) }
    }

    /// Delivers a value, after the items that wait.
    @inlinable
    func receive(_ value: Value) {
        take(value) { $0.deliver($1) }
    }

    /// Delivers an end, after the items that wait.
    @inlinable
    func finish(_ end: Termination<Error>) {
        take(end) { $0.deliver($1) }
    }

    // MARK: - Inside the lane

    @inlinable
    func work<Input: Sendable>(on input: Input, _ step: @escaping @Sendable (Junction, Input) -> Void) {
        if target != nil { step(self, input) }
    }

    @inlinable
    func deliver(_ value: Value) {
        guard !isInterrupted.load(ordering: .relaxed) else { return }
        target?._withUnsafeGuaranteedRef { $0.observer.receive(value) }
    }

    @inlinable
    func deliver(_ end: Termination<Error>) {
        let observer = target.take()?.takeRetainedValue().observer
        observer?.finish(isInterrupted.load(ordering: .relaxed) ? .interrupted : end)
    }
}

/// The way to begin several streams that run into one.
///
/// It delivers to the observer only inside the lane that it gets.
@usableFromInline
struct Confluence<Value: Sendable, Error: Swift.Error>: Sendable {
    @usableFromInline typealias Begin = @Sendable (Observer<Value, Error>, Lifetime, SignalLane, Parts) -> Void

    /// The deepest of the stages of the streams.
    @usableFromInline let deepest: Stage
    @usableFromInline let begin: Begin

    @inlinable
    init(of deepest: Stage, begin: @escaping Begin) {
        self.deepest = deepest
        self.begin = begin
    }
}

extension SignalProducer {
    @inlinable
    init(joining confluence: Confluence<Value, Error>) {
        let begin = confluence.begin
        self.init(.guarded, of: confluence.deepest) { begin($0, $1, SignalLane(), $2) }
    }
}

extension Signal {
    /// Makes a signal whose lane is the one in which the streams run together.
    @inlinable
    convenience init(joining confluence: Confluence<Value, Error>, at place: SignalPlace = SignalPlace()) {
        let core = SignalCore<Value, Error>(lane: SignalLane(steps: place.steps), depth: place.depth)
        confluence.begin(core.inputInLane, Lifetime(core.scope), core.lane, Parts(at: 0))
        self.init(core: core)
    }
}
