extension SignalProducer {
    /// Delivers `value` before the completion if there was no other value.
    @inlinable
    public func ifEmpty(default value: Value) -> SignalProducer {
        if isSpecialized(forLarge: Value.self) { return unspecialized.ifEmpty(default: value) }
        return SignalProducer(
            after: stage,
            begin: { [begin] observer, lifetime in
                let isEmpty = Serial(true)
                let part = Observer<Value, Error>(
                    receive: { value in
                        isEmpty.value = false
                        observer.receive(value)
                    },
                    finish: { end in
                        guard case .completed = end, isEmpty.value else { return observer.finish(end) }
                        observer.receive(value)
                        observer.finish(lifetime.completion())
                    })
                begin(part, lifetime)
            })
    }

    /// Goes on with `other` if this producer completes without a value.
    public func ifEmpty(switchTo other: some SignalProducerConvertible<Value, Error>) -> SignalProducer {
        let other = other.producer
        return SignalProducer(.work, of: stage.deeper(other.stage)) { observer, lifetime, parts in
            let isEmpty = Serial(true)
            let part = Observer<Value, Error>(
                receive: { value in
                    isEmpty.value = false
                    observer.receive(value)
                },
                finish: { end in
                    guard case .completed = end, isEmpty.value else { return observer.finish(end) }
                    parts.goOn(with: other, observer, lifetime)
                })
            begin(part, within: lifetime, in: parts.chain)
        }
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers `value` before the completion if there was no other value.
    @inlinable
    public func ifEmpty(default value: Value) -> Signal {
        passing { $0.ifEmpty(default: value) }
    }

    /// Goes on with `other` if this signal completes without a value.
    public func ifEmpty(switchTo other: some SignalProducerConvertible<Value, Error>) -> Signal {
        derive { $0.ifEmpty(switchTo: other) }
    }
}
