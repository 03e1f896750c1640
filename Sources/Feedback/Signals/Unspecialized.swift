// Values that are large, in an optimized build.
//
// The optimizer specializes generic code for the types of the module that uses it. Specialized code copies a value to the
// stack in each function that the value passes, several times in some; so a state of 64 KB took up to 800 KB for each operator.
// Code that is not specialized passes its address. So specialized code of large values calls its own unspecialized form,
// which is compiled with this module, and in which `isSpecialized(forLarge:)` is false:
//
//     public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> SignalProducer {
//         if isSpecialized(forLarge: Value.self) { return unspecialized.filter(isIncluded) }
//
// This is needed where closures are made that take values, and where values are changed or delivered. What those call is
// not specialized either. For other values the optimizer removes the line.

/// True in code that is specialized for a large type; always false in a debug build.
@inlinable
func isSpecialized<Value>(forLarge type: Value.Type) -> Bool { _isConcrete(type) && isLarge(type) }

extension SignalProducer: UnspecializedProducer {
    /// This producer as one about which the optimizer knows nothing.
    @usableFromInline @_semantics("optimize.no.crossmodule")
    var unspecialized: any UnspecializedProducer<Value, Error> { self }
}

/// The operators that make closures which take values. As functions of a protocol they are not specialized.
@usableFromInline
protocol UnspecializedProducer<Value, Error> {
    associatedtype Value: Sendable
    associatedtype Error: Swift.Error

    func map<U>(_ transform: @escaping @Sendable (Value) -> U) -> SignalProducer<U, Error>
    func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> SignalProducer<Value, Error>
    func compactMap<U>(_ transform: @escaping @Sendable (Value) -> U?) -> SignalProducer<U, Error>
    func skipRepeats(_ isEquivalent: @escaping @Sendable (Value, Value) -> Bool) -> SignalProducer<Value, Error>
    func uniqueValues<Identity: Hashable & Sendable>(
        _ transform: @escaping @Sendable (Value) -> Identity
    ) -> SignalProducer<Value, Error>
    func skip(first count: Int) -> SignalProducer<Value, Error>
    func skip(while shouldContinue: @escaping @Sendable (Value) -> Bool) -> SignalProducer<Value, Error>
    func take(first count: Int) -> SignalProducer<Value, Error>
    func take(last count: Int) -> SignalProducer<Value, Error>
    func take(while shouldContinue: @escaping @Sendable (Value) -> Bool) -> SignalProducer<Value, Error>
    func take(until shouldContinue: @escaping @Sendable (Value) -> Bool) -> SignalProducer<Value, Error>
    func scan<U: Sendable>(
        into initialResult: U, _ nextPartialResult: @escaping @Sendable (inout U, Value) -> Void
    ) -> SignalProducer<U, Error>
    func scanMap<State: Sendable, U>(
        into initialState: State, _ next: @escaping @Sendable (inout State, Value) -> U
    ) -> SignalProducer<U, Error>
    func reduce<U: Sendable>(
        into initialResult: U, _ nextPartialResult: @escaping @Sendable (inout U, Value) -> Void
    ) -> SignalProducer<U, Error>
    func combiningPrevious(_ initial: Value?) -> SignalProducer<(Value, Value), Error>
    func ifEmpty(default value: Value) -> SignalProducer<Value, Error>
    func starting(with value: Value) -> SignalProducer<Value, Error>
    func withLatest<U>(from samplee: SignalProducer<U, NoError>) -> SignalProducer<(Value, U), Error>
    func joining<U>(
        _ strategy: FlattenStrategy, _ transform: @escaping @Sendable (Value) -> SignalProducer<U, Error>
    ) -> Confluence<U, Error>
}

// MARK: - Several producers

@usableFromInline @_semantics("optimize.no.crossmodule")
func unspecializedCombiningLatest<each Part: Sendable, Error: Swift.Error>(
    _ parts: repeat SignalProducer<each Part, Error>
) -> Confluence<(repeat each Part), Error> {
    combiningLatest(repeat each parts)
}

@usableFromInline @_semantics("optimize.no.crossmodule")
func unspecializedZipping<A, B, Error>(
    _ a: SignalProducer<A, Error>, _ b: SignalProducer<B, Error>
) -> Confluence<(A, B), Error> {
    zipping(a, with: b)
}

// MARK: - Signals

extension SignalCore {
    @usableFromInline @_semantics("optimize.no.crossmodule")
    var unspecializedOutput: Observer<Value, Error> { output }

    @usableFromInline @_semantics("optimize.no.crossmodule")
    var unspecializedInput: Observer<Value, Error> { input }

    @usableFromInline @_semantics("optimize.no.crossmodule")
    var unspecializedInputInLane: Observer<Value, Error> { inputInLane }
}

extension SteppingCore where Step: ~Copyable {
    @usableFromInline @_semantics("optimize.no.crossmodule")
    var unspecializedStepInput: Observer<Step.Input, Error> { stepInput }
}

extension Gate {
    @usableFromInline @_semantics("optimize.no.crossmodule")
    var unspecializedInput: Observer<Value, Error> { input }
}

extension Stage.Origin {
    @usableFromInline @_semantics("optimize.no.crossmodule")
    func unspecializedGuarding<Value, Error>(
        _ observer: Observer<Value, Error>, during scope: CompositeDisposable
    ) -> Observer<Value, Error> {
        guarding(observer, during: scope)
    }
}

// MARK: - Properties

extension PropertyCore {
    @usableFromInline @_semantics("optimize.no.crossmodule")
    func unspecializedSwap(_ value: Value) -> Value { swap(value) }

    @usableFromInline @_semantics("optimize.no.crossmodule")
    func unspecializedObserveToDerive(_ observer: Observer<Value, NoError>, during lifetime: Lifetime) {
        observeToDerive(observer, during: lifetime)
    }
}

extension PropertyFollower {
    @usableFromInline @_semantics("optimize.no.crossmodule")
    var unspecializedObserver: Observer<Value, NoError> { observer }
}

extension PropertyProtocol {
    @usableFromInline @_semantics("optimize.no.crossmodule")
    func unspecializedOuterDerivations(for place: PropertyPlace) -> SignalProducer<Value, NoError> {
        outerDerivations(for: place)
    }
}

// MARK: - Loops

extension LoopCore {
    @usableFromInline @_semantics("optimize.no.crossmodule")
    func unspecializedHandle(_ event: Event, of effect: EffectToken?) { handle(event, of: effect) }
}
