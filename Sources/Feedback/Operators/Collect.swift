extension SignalProducer {
    /// Delivers all values as one array when the work completes.
    public func collect() -> SignalProducer<[Value], Error> {
        collecting { collected, latest in
            collected.append(latest)
            return nil
        }
    }

    /// Delivers the values in arrays of `count`; the last may have fewer.
    ///
    /// If it completes without any value, it delivers an empty array.
    public func collect(count: Int) -> SignalProducer<[Value], Error> {
        precondition(count > 0, "collect(count:) needs a count greater than zero.")
        return collecting { collected, latest in
            collected.append(latest)
            return collected.count == count ? collected.takeAll() : nil
        }
    }

    /// Delivers the collected values, including the latest one, each time `shouldEmit` returns true, and the rest at
    /// completion.
    ///
    /// If it completes without any value, it delivers an empty array.
    public func collect(
        _ shouldEmit: @escaping @Sendable (_ values: [Value]) -> Bool
    ) -> SignalProducer<[Value], Error> {
        collecting { collected, latest in
            collected.append(latest)
            return shouldEmit(collected) ? collected.takeAll() : nil
        }
    }

    /// Delivers the collected values, without the latest one, each time `shouldEmit` returns true, and the rest at
    /// completion.
    ///
    /// If it completes without any value, it delivers an empty array.
    public func collect(
        _ shouldEmit: @escaping @Sendable (_ collected: [Value], _ latest: Value) -> Bool
    ) -> SignalProducer<[Value], Error> {
        collecting { collected, latest in
            let delivered = shouldEmit(collected, latest) ? collected.takeAll() : nil
            collected.append(latest)
            return delivered
        }
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

extension SignalProducer {
    /// - Parameter take: Adds the latest value to those that were collected, and returns what is to be delivered.
    private func collecting(
        _ take: @escaping @Sendable (_ collected: inout [Value], _ latest: Value) -> [Value]?
    ) -> SignalProducer<[Value], Error> {
        SignalProducer<[Value], Error>(
            after: stage,
            begin: { [begin] observer, lifetime in
                let state = Serial((collected: [Value](), isFresh: true))
                let part = Observer<Value, Error>(
                    receive: { value in
                        state.value.isFresh = false
                        if let values = take(&state.value.collected, value) { observer.receive(values) }
                    },
                    finish: { end in
                        guard case .completed = end else { return observer.finish(end) }
                        let rest = state.value.collected.takeAll()
                        if !rest.isEmpty || state.value.isFresh { observer.receive(rest) }
                        observer.finish(lifetime.completion())
                    })
                begin(part, lifetime)
            })
    }
}

extension Array {
    fileprivate mutating func takeAll() -> [Element] {
        defer { self = [] }
        return self
    }
}
