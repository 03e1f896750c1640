extension SignalProducer {
    /// Delivers each value together with its number, from zero on.
    @inlinable
    public func enumerated() -> SignalProducer<(index: Int, value: Value), Error> {
        scanMap(into: 0) { count, value in
            defer { count += 1 }
            return (index: count, value: value)
        }
    }

    /// Delivers only the value with this number, from zero on, and completes, which tears down the work; completes without
    /// a value if there are fewer.
    @inlinable
    public func elementAt(_ index: Int) -> SignalProducer {
        precondition(index >= 0, "elementAt(_:) needs an index of zero or more.")
        return skip(first: index).take(first: 1)
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers each value together with its number, from zero on.
    @inlinable
    public func enumerated() -> Signal<(index: Int, value: Value), Error> {
        passing { $0.enumerated() }
    }

    /// Delivers only the value with this number, from zero on, and completes; completes without a value if there are fewer.
    @inlinable
    public func elementAt(_ index: Int) -> Signal {
        passing { $0.elementAt(index) }
    }
}
