extension SignalProducer {
    /// Makes a producer that calls `work` at each start, and emits the value that it returns or the error that it
    /// throws.
    ///
    /// ```swift
    /// let cities = SignalProducer { () async throws(ApiError) -> [City] in try await api.cities() }
    /// ```
    ///
    /// Each start makes a task, of this priority or of the caller's. Disposing the start cancels the task.
    public init(priority: TaskPriority? = nil, _ work: @escaping @Sendable () async throws(Error) -> Value) {
        self.init(
            .guarded,
            begin: { observer, lifetime in
                Self.run(observer, lifetime, priority) { (gate) async throws(Error) in gate.receive(try await work()) }
            })
    }

    /// Makes a producer of the elements of an asynchronous sequence, and of the error that it throws.
    ///
    /// Each start iterates from the beginning, in a task of its own. Disposing the start cancels the task.
    public init<Elements: AsyncSequence & Sendable>(_ elements: Elements)
    where Elements.Element == Value, Elements.Failure == Error {
        self.init(
            .guarded,
            begin: { observer, lifetime in
                Self.run(observer, lifetime) { (gate) async throws(Error) in
                    var iterator = elements.makeAsyncIterator()
                    while let element = try await iterator.next(isolation: nil) {
                        // Not all sequences heed the cancellation.
                        if gate.isDisposed { return }
                        gate.receive(element)
                    }
                }
            })
    }

    /// Makes a producer like ``init(priority:_:)``. If a task makes the start, `work` begins on its thread, as it would with
    /// `await`; not on the main actor.
    package static func asIfAwaited(
        _ work: @escaping @Sendable () async throws(Error) -> Value
    ) -> SignalProducer {
        SignalProducer(
            .guarded,
            begin: { observer, lifetime in
                run(observer, lifetime, asIfAwaited: true) { (gate) async throws(Error) in
                    gate.receive(try await work())
                }
            })
    }

    private static func run(
        _ observer: Observer<Value, Error>, _ lifetime: Lifetime, _ priority: TaskPriority? = nil,
        asIfAwaited: Bool = false,
        _ body: @escaping @Sendable (Gate<Value, Error>) async throws(Error) -> Void
    ) {
        let gate = Gate(observer)
        lifetime.scope.insert(gate)
        guard !lifetime.hasEnded else { return }
        let task = makeTask(priority, asIfAwaited: asIfAwaited) {
            do throws(Error) {
                try await body(gate)
                gate.finish(.completed)
            } catch {
                gate.finish(.failed(error))
            }
        }
        lifetime.observeEnded { task.cancel() }
    }
}

/// Makes a task; if it is as if awaited, and made by another task, it begins before this returns.
private func makeTask(
    _ priority: TaskPriority?, asIfAwaited: Bool, _ work: @escaping @Sendable () async -> Void
) -> Task<Void, Never> {
    let thread = ThreadState.current
    // One that is made while another begins is a usual one: a long row of them, in which each begins the next, would
    // overflow the stack.
    if asIfAwaited, !thread.isBeginningTask, !UIScheduler.isOnMain, withUnsafeCurrentTask(body: { $0 != nil }),
        #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    {
        thread.isBeginningTask = true
        defer { thread.isBeginningTask = false }
        return Task.immediate(operation: work)
    }
    return Task(priority: priority, operation: work)
}

extension SignalProducer where Value == Never {
    /// Makes a producer that calls `work` at each start, and completes when it has returned, or fails with the error
    /// that it throws.
    ///
    /// ```swift
    /// let reporting = SignalProducer<Never, ApiError> { () async throws(ApiError) in
    ///     let cities = try await api.cities()
    ///     print("There are \(cities.count) cities.")
    /// }
    /// ```
    ///
    /// Each start makes a task. Disposing the start cancels the task.
    // The other initializer has one parameter more: where both fit, the compiler takes this one.
    public init(_ work: @escaping @Sendable () async throws(Error) -> Void) {
        self.init(
            .guarded,
            begin: { observer, lifetime in
                Self.run(observer, lifetime) { (_) async throws(Error) in try await work() }
            })
    }
}
