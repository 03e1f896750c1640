extension SignalProducer {
    /// Delivers everything until `trigger` delivers a value or completes; then it completes, which tears down the work.
    ///
    /// `trigger` is started first. If it triggers at once, the work does not start.
    public func take(until trigger: some SignalProducerConvertible<Void, NoError>) -> SignalProducer {
        let trigger = trigger.producer
        return SignalProducer(.guarded, of: stage.deeper(trigger.stage)) { observer, lifetime, parts in
            let junction = Junction(observer, lifetime, state: ())
            parts.begin(trigger, .trigger { junction.finish(.completed) }, within: lifetime)
            parts.begin(self, Observer(receive: { junction.receive($0) }, finish: { junction.finish($0) }), lifetime)
        }
    }

    /// Delivers values once `trigger` has delivered a value or has completed. The end is delivered at any time.
    ///
    /// `trigger` is started first.
    public func skip(until trigger: some SignalProducerConvertible<Void, NoError>) -> SignalProducer {
        let trigger = trigger.producer
        return SignalProducer(.guarded, of: stage.deeper(trigger.stage)) { observer, lifetime, parts in
            let junction = Junction(observer, lifetime, state: false)
            parts.begin(
                trigger, .trigger { junction.take(()) { junction, _ in junction.state = true } }, within: lifetime)
            let part = Observer<Value, Error>(
                receive: { value in
                    junction.take(value) { junction, value in
                        if junction.state { junction.deliver(value) }
                    }
                },
                finish: { junction.finish($0) })
            parts.begin(self, part, lifetime)
        }
    }

    /// Delivers everything until `lifetime` ends; then it completes, which tears down the work.
    public func take(during other: Lifetime) -> SignalProducer {
        SignalProducer(.guarded, of: stage) { observer, lifetime, parts in
            if other.hasEnded { return observer.finish(.completed) }
            let junction = Junction(observer, lifetime, state: ())
            // Forgotten by the other lifetime when the stream ends first.
            if let ending = other.observeEnded({ junction.finish(.completed) }) { lifetime.scope.insert(ending) }
            parts.begin(self, Observer(receive: { junction.receive($0) }, finish: { junction.finish($0) }), lifetime)
        }
    }

    /// Delivers everything until `replacement` delivers its first event; from then on what `replacement` delivers.
    ///
    /// `replacement` is started first. The completion of this producer does not matter.
    public func take(untilReplacement replacement: some SignalProducerConvertible<Value, Error>) -> SignalProducer {
        let replacement = replacement.producer
        return SignalProducer(.guarded, of: stage.deeper(replacement.stage)) { observer, lifetime, parts in
            let junction = Junction(observer, lifetime, state: false)
            let replaced = CompositeDisposable()
            let replacing = Observer<Value, Error>(
                receive: { value in
                    junction.take(value) { junction, value in
                        junction.state = true
                        junction.deliver(value)
                    }
                    // After the replacement has taken over, as this interrupts what it replaces.
                    replaced.dispose()
                },
                finish: { junction.finish($0) })
            parts.begin(replacement, replacing, within: lifetime)
            let part = Observer<Value, Error>(
                receive: { value in
                    junction.take(value) { junction, value in
                        if !junction.state { junction.deliver(value) }
                    }
                },
                finish: { end in
                    if case .completed = end { return }
                    junction.take(end) { junction, end in
                        if !junction.state { junction.deliver(end) }
                    }
                })
            parts.begin(self, part, within: lifetime, scope: replaced)
        }
    }
}

extension Observer where Error == NoError {
    /// Calls `action` with the first value, and at completion.
    fileprivate static func trigger(_ action: @escaping @Sendable () -> Void) -> Observer {
        Observer(
            receive: { _ in action() },
            finish: { if case .completed = $0 { action() } })
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers everything until `trigger` delivers a value or completes; then it completes.
    public func take(until trigger: some SignalProducerConvertible<Void, NoError>) -> Signal {
        derive { $0.take(until: trigger) }
    }

    /// Delivers values once `trigger` has delivered a value or has completed. The end is delivered at any time.
    public func skip(until trigger: some SignalProducerConvertible<Void, NoError>) -> Signal {
        derive { $0.skip(until: trigger) }
    }

    /// Delivers everything until `lifetime` ends; then it completes.
    public func take(during lifetime: Lifetime) -> Signal {
        derive { $0.take(during: lifetime) }
    }

    /// Delivers everything until `replacement` delivers its first event; from then on what `replacement` delivers.
    ///
    /// The completion of this signal does not matter.
    public func take(untilReplacement replacement: some SignalProducerConvertible<Value, Error>) -> Signal {
        derive { $0.take(untilReplacement: replacement) }
    }
}
