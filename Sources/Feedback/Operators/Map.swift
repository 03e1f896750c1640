extension SignalProducer {
    /// Delivers the result of `transform` for each value.
    @inlinable
    public func map<U>(_ transform: @escaping @Sendable (Value) -> U) -> SignalProducer<U, Error> {
        if isSpecialized(forLarge: (Value, U).self) { return unspecialized.map(transform) }
        return SignalProducer<U, Error>(
            after: stage,
            begin: { [begin] observer, lifetime in
                let receive = observer.receive
                begin(observer.contramap { value in pass({ transform(value) }, to: receive) }, lifetime)
            })
    }

    /// Delivers the part of each value at `keyPath`.
    @inlinable
    @_disfavoredOverload  // A literal becomes a closure, which is faster.
    public func map<U>(_ keyPath: KeyPath<Value, U> & Sendable) -> SignalProducer<U, Error> {
        map { $0[keyPath: keyPath] }
    }

    /// Delivers `value` in place of each value.
    @inlinable
    @_disfavoredOverload  // A trailing closure is a transform, not a value.
    public func map<U>(value: U) -> SignalProducer<U, Error> {
        map { _ in value }
    }

    /// Fails with the error that `transform` returns.
    @inlinable
    public func mapError<F>(_ transform: @escaping @Sendable (Error) -> F) -> SignalProducer<Value, F> {
        SignalProducer<Value, F>(
            after: stage,
            begin: { [begin] observer, lifetime in
                begin(observer.onFinish { observer.finish($0.mapError(transform)) }, lifetime)
            })
    }
}

extension SignalProducer where Error == NoError {
    /// The same stream, as one that could fail with an error of type `F`.
    @inlinable
    public func promoteError<F>(_: F.Type = F.self) -> SignalProducer<Value, F> {
        mapError { $0 }
    }
}

extension SignalProducer where Value == Never {
    /// The same stream, which only ends, as one that could deliver values of type `U`.
    @inlinable
    public func promoteValue<U>(_: U.Type = U.self) -> SignalProducer<U, Error> {
        map { $0 }
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers the result of `transform` for each value.
    @inlinable
    public func map<U>(_ transform: @escaping @Sendable (Value) -> U) -> Signal<U, Error> {
        passing(Mapping(transform))
    }

    /// Delivers the part of each value at `keyPath`.
    @inlinable
    @_disfavoredOverload  // A literal becomes a closure, which is faster.
    public func map<U>(_ keyPath: KeyPath<Value, U> & Sendable) -> Signal<U, Error> {
        passing { $0.map(keyPath) }
    }

    /// Delivers `value` in place of each value.
    @inlinable
    @_disfavoredOverload  // A trailing closure is a transform, not a value.
    public func map<U>(value: U) -> Signal<U, Error> {
        passing { $0.map(value: value) }
    }

    /// Fails with the error that `transform` returns.
    @inlinable
    public func mapError<F>(_ transform: @escaping @Sendable (Error) -> F) -> Signal<Value, F> {
        passing { $0.mapError(transform) }
    }
}

extension Signal where Error == NoError {
    /// The same stream, as one that could fail with an error of type `F`.
    @inlinable
    public func promoteError<F>(_: F.Type = F.self) -> Signal<Value, F> {
        passing { $0.promoteError() }
    }
}

extension Signal where Value == Never {
    /// The same stream, which only ends, as one that could deliver values of type `U`.
    @inlinable
    public func promoteValue<U>(_: U.Type = U.self) -> Signal<U, Error> {
        passing { $0.promoteValue() }
    }
}

/// The step of `map`.
@usableFromInline
struct Mapping<Input: Sendable, Output: Sendable>: SignalStep, ~Copyable {
    @usableFromInline let transform: @Sendable (Input) -> Output

    @inlinable
    init(_ transform: @escaping @Sendable (Input) -> Output) {
        self.transform = transform
    }

    // A function for each: without optimization, a frame has room for the values of both branches.

    @inlinable @inline(__always)
    borrowing func take(_ input: Input, to core: SignalCore<Output, some Error>) {
        if isLarge(Output.self) { takeOnHeap(input, to: core) } else { takeOnStack(input, to: core) }
    }

    @inlinable @inline(__always)
    borrowing func takeOnStack(_ input: Input, to core: SignalCore<Output, some Error>) {
        core.deliver(transform(input))
    }

    @usableFromInline
    borrowing func takeOnHeap(_ input: Input, to core: SignalCore<Output, some Error>) {
        let transform = transform
        passOnHeap({ transform(input) }, to: { core.deliver($0) })
    }
}
