extension SignalProducer {
    /// Shares one start among all who start this: the work is started by the first of them, and each gets the last
    /// `capacity` values that there were, then what follows.
    ///
    /// The work is disposed when nobody holds the producer or follows it any more. Consider a ``Property`` where there
    /// always is a value.
    public func replayLazily(upTo capacity: Int) -> SignalProducer {
        precondition(capacity >= 0, "replayLazily(upTo:) needs a capacity of zero or more.")
        let replay = Replay(self, capacity)
        return SignalProducer(.guarded, begin: { observer, lifetime in replay.observe(observer, during: lifetime) })
    }
}

/// One start of a producer, and the last of its values.
private final class Replay<Value: Sendable, Error: Swift.Error>: Sendable {
    private let core = SignalCore<Value, Error>()
    private let history: History
    private let producer: SignalProducer<Value, Error>
    private let start = Decision()

    private final class History: Sendable {
        let capacity: Int
        // Both are guarded by the lane of the core.
        nonisolated(unsafe) var values = Queue<Value>()
        nonisolated(unsafe) var end: Termination<Error>?

        init(_ capacity: Int) {
            self.capacity = capacity
        }

        func append(_ value: Value) {
            guard capacity > 0 else { return }
            values.append(value)
            if values.count > capacity { _ = values.popFirst() }
        }
    }

    init(_ producer: SignalProducer<Value, Error>, _ capacity: Int) {
        self.producer = producer
        history = History(capacity)
    }

    deinit { core.release() }

    func observe(_ observer: Observer<Value, Error>, during lifetime: Lifetime) {
        let (core, history) = (core, history)
        let observation = core.expectObserver(interrupts: true)
        lifetime.scope.insert(observation)
        // Whoever follows holds the work.
        lifetime.observeEnded { withExtendedLifetime(self) {} }
        core.lane.perform {
            for value in history.values.elements {
                if observation.isDisposed { break }
                if let value { observer.receive(value) }
            }
            if let end = history.end, !observation.isDisposed {
                observer.finish(end)
            } else {
                core.add(observer, for: observation)
            }
        }
        guard start.make() else { return }
        let source = Observer<Value, Error>(
            receive: { value in
                guard
                    core.lane.lane.enter(or: {
                        history.append(value); core.deliver(value)
                    })
                else { return }
                history.append(value)
                core.deliver(value)
                core.lane.drain()
            },
            finish: { end in
                core.lane.perform {
                    history.end = history.end ?? end
                    core.deliver(end)
                }
            })
        producer.begin(source, Lifetime(core.scope))
    }
}
