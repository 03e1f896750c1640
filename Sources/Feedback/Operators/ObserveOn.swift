import Synchronization

extension SignalProducer {
    /// Delivers everything on `scheduler`, one event per action, in order.
    ///
    /// Disposal drops the events that wait, and delivers the interruption on `scheduler` too.
    public func observe(on scheduler: any Scheduler) -> SignalProducer {
        SignalProducer(.scheduled, of: stage) { observer, lifetime, parts in
            let relay = Relay(observer, lifetime, on: scheduler)
            let part = Observer<Value, Error>(receive: { relay.receive($0) }, finish: { relay.finish($0) })
            parts.beginApart(self, part, within: lifetime)
        }
    }

    /// Starts the work on `scheduler`; if it is disposed before, the work never starts.
    public func start(on scheduler: any Scheduler) -> SignalProducer {
        starting { scheduler.schedule($0) }
    }

    /// Starts the work in an action that `schedule` schedules.
    func starting(
        _ schedule: @escaping @Sendable (_ action: @escaping @Sendable () -> Void) -> (any Disposable)?
    ) -> SignalProducer {
        SignalProducer(.work, of: stage) { observer, lifetime, parts in
            let claim = Claim()
            let waiting = lifetime.observeEnded { if claim.take() { observer.finish(.interrupted) } }
            let scheduled = schedule {
                guard claim.take() else { return }
                waiting?.dispose()
                parts.goOn(with: self, observer, lifetime)
            }
            if let scheduled, !claim.isTaken { lifetime.scope.insert(scheduled) }
        }
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers everything on `scheduler`, one event per action, in order.
    public func observe(on scheduler: any Scheduler) -> Signal {
        derive { $0.observe(on: scheduler) }
    }
}

// MARK: - Machinery

/// A flag that only the first caller can take.
private final class Claim: Sendable {
    private let taken = Atomic(false)

    var isTaken: Bool { taken.load(ordering: .acquiring) }

    /// - Returns: True if the caller is the first.
    func take() -> Bool { !taken.exchange(true, ordering: .acquiringAndReleasing) }
}
