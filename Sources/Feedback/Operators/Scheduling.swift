import Synchronization

extension SignalProducer {
    /// Delivers everything on `scheduler`, one event an action, in order; once disposed, only the interruption.
    public func observe(on scheduler: any Scheduler) -> SignalProducer {
        SignalProducer(begin: { [begin] observer, lifetime in
            let relay = Relay(observer, lifetime)
            let part = Observer<Value, Error>(
                receive: { value in
                    relay.append(.value(value))
                    scheduler.schedule { relay.deliverNext() }
                },
                finish: { end in
                    relay.append(end.event())
                    scheduler.schedule { relay.deliverNext() }
                })
            begin(part, lifetime)
        })
    }

    /// Starts the work on `scheduler`; if it is disposed before, the work never starts.
    public func start(on scheduler: any Scheduler) -> SignalProducer {
        SignalProducer(begin: { [begin] observer, lifetime in
            let decision = Decision()
            let waiting = lifetime.observeEnded { if decision.make() { observer.finish(.interrupted) } }
            let scheduled = scheduler.schedule {
                guard decision.make() else { return }
                waiting?.dispose()
                begin(observer, lifetime)
            }
            if let scheduled, !decision.isMade { lifetime.scope.insert(scheduled) }
        })
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers everything on `scheduler`, one event an action, in order.
    public func observe(on scheduler: any Scheduler) -> Signal {
        derive { $0.observe(on: scheduler) }
    }
}

// MARK: - Machinery

/// What is made at most once, by whoever comes first.
final class Decision: Sendable {
    private let made = Atomic(false)

    var isMade: Bool { made.load(ordering: .acquiring) }

    /// - Returns: Whether the caller is the one who makes it.
    func make() -> Bool { !made.exchange(true, ordering: .acquiringAndReleasing) }
}

/// Events on their way to a scheduler.
final class Relay<Value: Sendable, Error: Swift.Error>: Sendable {
    private let events = Mutex(Queue<SignalEvent<Value, Error>>())
    // Keeps law 1 also on a scheduler that runs several actions at once.
    private let lane = Lane<Void>()
    private let observer: Observer<Value, Error>
    private let lifetime: Lifetime

    init(_ observer: Observer<Value, Error>, _ lifetime: Lifetime) {
        self.observer = observer
        self.lifetime = lifetime
    }

    func append(_ event: SignalEvent<Value, Error>) {
        events.withLock { $0.append(event) }
    }

    /// Called once for each event that was appended.
    func deliverNext() {
        guard lane.enter(or: ()) else { return }
        deliver()
        lane.leave { deliver() }
    }

    private func deliver() {
        guard let event = events.withLock({ $0.popFirst() }) else { return }
        if !lifetime.hasEnded {
            observer.send(event)
        } else if event.isTerminating {
            observer.finish(.interrupted)
        }
    }
}
