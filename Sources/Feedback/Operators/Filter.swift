extension SignalProducer {
    /// Delivers the values that `isIncluded` accepts.
    @inlinable
    public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> SignalProducer {
        if isSpecialized(forLarge: Value.self) { return unspecialized.filter(isIncluded) }
        return SignalProducer(
            after: stage,
            begin: { [begin] observer, lifetime in
                let receive = observer.receive
                begin(observer.contramap { if isIncluded($0) { receive($0) } }, lifetime)
            })
    }

    /// Delivers the results of `transform` that are not `nil`.
    @inlinable
    public func compactMap<U>(_ transform: @escaping @Sendable (Value) -> U?) -> SignalProducer<U, Error> {
        if isSpecialized(forLarge: (Value, U).self) { return unspecialized.compactMap(transform) }
        return SignalProducer<U, Error>(
            after: stage,
            begin: { [begin] observer, lifetime in
                let receive = observer.receive
                begin(observer.contramap { value in passIfAny({ transform(value) }, to: receive) }, lifetime)
            })
    }

    /// Delivers the values that are not `nil`.
    @inlinable
    public func skipNil<Wrapped>() -> SignalProducer<Wrapped, Error> where Value == Wrapped? {
        compactMap { $0 }
    }

    /// Delivers each value that differs from the one before it, by `isEquivalent`; the first always.
    @inlinable
    public func skipRepeats(_ isEquivalent: @escaping @Sendable (Value, Value) -> Bool) -> SignalProducer {
        if isSpecialized(forLarge: Value.self) { return unspecialized.skipRepeats(isEquivalent) }
        return SignalProducer(
            after: stage,
            begin: { [begin] observer, lifetime in
                let receive = observer.receive
                let previous = Serial<Value?>(nil)
                begin(
                    observer.contramap { value in
                        let isNew = prepare(toPass: Value.self) { replace(previous, by: value, unless: isEquivalent) }
                        if isNew { receive(value) }
                    }, lifetime)
            })
    }

    /// Delivers the values whose identity, made by `transform`, was not delivered before; it remembers all identities.
    @inlinable
    public func uniqueValues<Identity: Hashable & Sendable>(
        _ transform: @escaping @Sendable (Value) -> Identity
    ) -> SignalProducer {
        if isSpecialized(forLarge: Value.self) { return unspecialized.uniqueValues(transform) }
        return SignalProducer(
            after: stage,
            begin: { [begin] observer, lifetime in
                let receive = observer.receive
                let seen = Serial<Set<Identity>>([])
                begin(observer.contramap { if seen.value.insert(transform($0)).inserted { receive($0) } }, lifetime)
            })
    }
}

extension SignalProducer where Value: Equatable {
    /// Delivers each value that differs from the one before it; the first always.
    @inlinable
    public func skipRepeats() -> SignalProducer {
        skipRepeats(==)
    }
}

extension SignalProducer where Value: Hashable {
    /// Delivers the values that were not delivered before; it remembers all of them.
    @inlinable
    public func uniqueValues() -> SignalProducer {
        uniqueValues { $0 }
    }
}

/// - Returns: True if there was no value before, or `value` is not equivalent to it.
@inlinable
func replace<Value>(
    _ previous: Serial<Value?>, by value: Value, unless isEquivalent: (Value, Value) -> Bool
) -> Bool {
    if let previous = previous.value, isEquivalent(previous, value) { return false }
    previous.value = value
    return true
}

// MARK: - Signal

extension Signal {
    /// Delivers the values that `isIncluded` accepts.
    @inlinable
    public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal {
        passing(Filtering(isIncluded))
    }

    /// Delivers the results of `transform` that are not `nil`.
    @inlinable
    public func compactMap<U>(_ transform: @escaping @Sendable (Value) -> U?) -> Signal<U, Error> {
        passing(CompactMapping(transform))
    }

    /// Delivers the values that are not `nil`.
    @inlinable
    public func skipNil<Wrapped>() -> Signal<Wrapped, Error> where Value == Wrapped? {
        passing { $0.skipNil() }
    }

    /// Delivers each value that differs from the one before it, by `isEquivalent`; the first always.
    @inlinable
    public func skipRepeats(_ isEquivalent: @escaping @Sendable (Value, Value) -> Bool) -> Signal {
        passing { $0.skipRepeats(isEquivalent) }
    }

    /// Delivers the values whose identity, made by `transform`, was not delivered before; it remembers all identities.
    @inlinable
    public func uniqueValues<Identity: Hashable & Sendable>(_ transform: @escaping @Sendable (Value) -> Identity)
        -> Signal
    {
        passing { $0.uniqueValues(transform) }
    }
}

extension Signal where Value: Equatable {
    /// Delivers each value that differs from the one before it; the first always.
    @inlinable
    public func skipRepeats() -> Signal {
        passing { $0.skipRepeats() }
    }
}

extension Signal where Value: Hashable {
    /// Delivers the values that were not delivered before; it remembers all of them.
    @inlinable
    public func uniqueValues() -> Signal {
        passing { $0.uniqueValues() }
    }
}

/// The step of `filter`.
@usableFromInline
struct Filtering<Value: Sendable>: SignalStep, ~Copyable {
    @usableFromInline let isIncluded: @Sendable (Value) -> Bool

    @inlinable
    init(_ isIncluded: @escaping @Sendable (Value) -> Bool) {
        self.isIncluded = isIncluded
    }

    @inlinable @inline(__always)
    borrowing func take(_ input: Value, to core: SignalCore<Value, some Error>) {
        if isIncluded(input) { core.deliver(input) }
    }
}

/// The step of `compactMap`.
@usableFromInline
struct CompactMapping<Input: Sendable, Output: Sendable>: SignalStep, ~Copyable {
    @usableFromInline let transform: @Sendable (Input) -> Output?

    @inlinable
    init(_ transform: @escaping @Sendable (Input) -> Output?) {
        self.transform = transform
    }

    // A function for each, as in `Mapping`.

    @inlinable @inline(__always)
    borrowing func take(_ input: Input, to core: SignalCore<Output, some Error>) {
        if isLarge(Output.self) { takeOnHeap(input, to: core) } else { takeOnStack(input, to: core) }
    }

    @inlinable @inline(__always)
    borrowing func takeOnStack(_ input: Input, to core: SignalCore<Output, some Error>) {
        if let output = transform(input) { core.deliver(output) }
    }

    @usableFromInline
    borrowing func takeOnHeap(_ input: Input, to core: SignalCore<Output, some Error>) {
        let transform = transform
        passIfAnyOnHeap({ transform(input) }, to: { core.deliver($0) })
    }
}
