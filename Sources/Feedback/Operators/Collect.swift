extension SignalProducer {
    /// Delivers all values as one array when the work completes.
    public func collect() -> SignalProducer<[Value], Error> {
        collecting { _, _ in .append }
    }

    /// Delivers the values in arrays of `count`; the last may have fewer.
    ///
    /// If it completes without any value, it delivers an empty array.
    public func collect(count: Int) -> SignalProducer<[Value], Error> {
        precondition(count > 0, "collect(count:) needs a count greater than zero.")
        return collecting { collected, _ in collected.count + 1 == count ? .appendAndDeliver : .append }
    }

    /// Delivers the collected values, including the latest one, each time `shouldEmit` returns true, and the rest at
    /// completion.
    ///
    /// If it completes without any value, it delivers an empty array.
    public func collect(
        _ shouldEmit: @escaping @Sendable (_ values: [Value]) -> Bool
    ) -> SignalProducer<[Value], Error> {
        collecting { collected, latest in shouldEmit(collected + [latest]) ? .appendAndDeliver : .append }
    }

    /// Delivers the collected values, without the latest one, each time `shouldEmit` returns true, and the rest at
    /// completion.
    ///
    /// If it completes without any value, it delivers an empty array.
    public func collect(
        _ shouldEmit: @escaping @Sendable (_ collected: [Value], _ latest: Value) -> Bool
    ) -> SignalProducer<[Value], Error> {
        collecting { collected, latest in shouldEmit(collected, latest) ? .deliverAndAppend : .append }
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers all values as one array when the signal completes.
    public func collect() -> Signal<[Value], Error> {
        passing { $0.collect() }
    }

    /// Delivers the values in arrays of `count`; the last may have fewer.
    public func collect(count: Int) -> Signal<[Value], Error> {
        passing { $0.collect(count: count) }
    }

    /// Delivers the collected values, including the latest one, each time `shouldEmit` returns true, and the rest at
    /// completion.
    public func collect(_ shouldEmit: @escaping @Sendable (_ values: [Value]) -> Bool) -> Signal<[Value], Error> {
        passing { $0.collect(shouldEmit) }
    }

    /// Delivers the collected values, without the latest one, each time `shouldEmit` returns true, and the rest at
    /// completion.
    public func collect(
        _ shouldEmit: @escaping @Sendable (_ collected: [Value], _ latest: Value) -> Bool
    ) -> Signal<[Value], Error> {
        passing { $0.collect(shouldEmit) }
    }
}

// MARK: - Machinery

private enum Collecting {
    case append
    case appendAndDeliver
    case deliverAndAppend
}

extension SignalProducer {
    private func collecting(
        _ decide: @escaping @Sendable (_ collected: [Value], _ latest: Value) -> Collecting
    ) -> SignalProducer<[Value], Error> {
        SignalProducer<[Value], Error>(
            stage.next.origin,
            begin: { [begin] observer, lifetime in
                let state = Serial((collected: [Value](), isFresh: true))
                let part = Observer<Value, Error>(
                    receive: { value in
                        state.value.isFresh = false
                        switch decide(state.value.collected, value) {
                        case .append:
                            state.value.collected.append(value)
                        case .appendAndDeliver:
                            state.value.collected.append(value)
                            observer.receive(state.takeCollected())
                        case .deliverAndAppend:
                            let collected = state.takeCollected()
                            state.value.collected.append(value)
                            observer.receive(collected)
                        }
                    },
                    finish: { end in
                        guard case .completed = end else { return observer.finish(end) }
                        let rest = state.takeCollected()
                        if !rest.isEmpty || state.value.isFresh { observer.receive(rest) }
                        observer.finish(lifetime.completion())
                    })
                begin(part, lifetime)
            })
    }
}

extension Serial {
    fileprivate func takeCollected<Element>() -> [Element] where Value == (collected: [Element], isFresh: Bool) {
        let collected = value.collected
        value.collected = []
        return collected
    }
}
