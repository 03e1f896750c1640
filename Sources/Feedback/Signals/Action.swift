/// Work that is done on demand, one piece at a time, and only when it is enabled.
///
/// ```swift
/// let save = Action<Draft, Receipt, ApiError>(enabledIf: isValid) { draft in api.save(draft) }
/// save.errors.observeValues { show($0) }
/// spinner.isVisible <~ save.isExecuting
/// save.apply(draft).start()
/// ```
public final class Action<Input: Sendable, Output: Sendable, Error: Swift.Error>: Sendable {
    /// True while a piece of work is under way.
    public let isExecuting: Property<Bool>

    /// True while a piece of work can be started.
    public let isEnabled: Property<Bool>

    /// Each event of each piece of work. It completes with the action.
    public let events: Signal<SignalEvent<Output, Error>, NoError>

    /// Each value of each piece of work. It completes with the action.
    public let values: Signal<Output, NoError>

    /// The error of each piece of work that failed. It completes with the action.
    public let errors: Signal<Error, NoError>

    /// The completion of each piece of work. It completes with the action.
    public let completed: Signal<Void, NoError>

    /// Each attempt to start while the action was not enabled. It completes with the action.
    public let disabledErrors: Signal<Void, NoError>

    private let eventsInput: Signal<SignalEvent<Output, Error>, NoError>.Observer
    private let disabledErrorsInput: Signal<Void, NoError>.Observer
    private let token = Lifetime.Token()
    /// Makes the work for an input, if the action is enabled.
    private let begin: @Sendable (Input) -> SignalProducer<Output, Error>?
    private let end: @Sendable () -> Void

    /// Makes an action that is enabled while `isEnabled` accepts the value of `state`, and nothing is under way.
    ///
    /// - Parameters:
    ///   - state: The action keeps it alive.
    ///   - execute: Makes the work, from the value of the state at the start and the input.
    public init<State: PropertyProtocol>(
        state: State, enabledIf isEnabled: @escaping @Sendable (State.Value) -> Bool,
        execute: @escaping @Sendable (State.Value, Input) -> SignalProducer<Output, Error>
    ) {
        let status = MutableProperty(ActionStatus(isAllowed: isEnabled(state.value), isExecuting: false))
        // As a property that is derived from the state, so before the observers of the state.
        Lifetime(token.scope) += state.derivations.startWithValues { value in
            let isAllowed = isEnabled(value)
            status.modify { $0.isAllowed = isAllowed }
        }
        isExecuting = status.derive { $0.map { $0.isExecuting }.skipRepeats() }
        self.isEnabled = status.derive { $0.map { $0.isEnabled }.skipRepeats() }
        begin = { input in
            // Asked here, since another thread may be about to change the status. The closure captures the state, so the
            // action keeps it alive.
            let value = state.value
            return isEnabled(value) && status.modify { $0.begin() } ? execute(value, input) : nil
        }
        end = { status.modify { $0.isExecuting = false } }
        (events, eventsInput) = Signal.pipe()
        (disabledErrors, disabledErrorsInput) = Signal.pipe()
        values = events.compactMap(\.value)
        errors = events.compactMap(\.error)
        completed = events.compactMap { if case .completed = $0 { () } else { nil } }
    }

    /// Makes an action that is enabled while nothing is under way.
    ///
    /// - Parameter execute: Makes the work, from the value of `state` at the start and the input.
    public convenience init<State: PropertyProtocol>(
        state: State, execute: @escaping @Sendable (State.Value, Input) -> SignalProducer<Output, Error>
    ) {
        self.init(state: state, enabledIf: { _ in true }, execute: execute)
    }

    /// Makes an action that is enabled while `isEnabled` is true, and nothing is under way.
    public convenience init(
        enabledIf isEnabled: some PropertyProtocol<Bool>,
        execute: @escaping @Sendable (Input) -> SignalProducer<Output, Error>
    ) {
        self.init(state: isEnabled, enabledIf: { $0 }) { _, input in execute(input) }
    }

    /// Makes an action that is enabled while `state` is not `nil`, and nothing is under way.
    ///
    /// - Parameter execute: Makes the work, from the value of `state` at the start and the input.
    public convenience init<Wrapped: Sendable>(
        unwrapping state: some PropertyProtocol<Wrapped?>,
        execute: @escaping @Sendable (Wrapped, Input) -> SignalProducer<Output, Error>
    ) {
        self.init(state: state, enabledIf: { $0 != nil }) { state, input in
            state.map { execute($0, input) } ?? .empty
        }
    }

    /// Makes an action that is enabled while the latest value proposed to `state` is valid, and nothing is under way.
    ///
    /// - Parameter execute: Makes the work, from the valid value at the start and the input.
    public convenience init<Value: Sendable, ValidationError: Swift.Error>(
        validated state: ValidatingProperty<Value, ValidationError>,
        execute: @escaping @Sendable (Value, Input) -> SignalProducer<Output, Error>
    ) {
        let valid: Property<Value?> = state.result.map { result in withExtendedLifetime(state) { result.value } }
        self.init(unwrapping: valid, execute: execute)
    }

    /// Makes an action that is enabled while nothing is under way.
    public convenience init(execute: @escaping @Sendable (Input) -> SignalProducer<Output, Error>) {
        self.init(enabledIf: Property(value: true), execute: execute)
    }

    deinit {
        eventsInput.sendCompleted()
        disabledErrorsInput.sendCompleted()
    }

    /// The lifetime of the action.
    public var lifetime: Lifetime { Lifetime(token.scope) }

    /// Returns a producer. Each start of it does a piece of work, or fails with `disabled` if the action is not
    /// enabled.
    ///
    /// Disposing the start interrupts the work. The producer keeps the action alive. When the work ends, the action can
    /// be applied again, also by the observer of the end. The observers of `events` hear of the end before that one. If
    /// one of them disposes the start then, the end is delivered at once.
    public func apply(_ input: Input) -> SignalProducer<Output, ActionError<Error>> {
        SignalProducer<Output, ActionError<Error>>(
            .guarded,
            begin: { [self] observer, lifetime in
                guard let work = begin(input) else {
                    observer.finish(.failed(.disabled))
                    disabledErrorsInput.send(value: ())
                    return
                }
                let part = Observer<Output, Error>(
                    receive: { [self] value in
                        observer.receive(value)
                        eventsInput.send(value: .value(value))
                    },
                    finish: { [self] termination in
                        end()
                        // If an observer of the events disposes the application, this end is delivered at once.
                        let last = AnyDisposable {
                            observer.finish(termination.mapError(ActionError.producerFailed))
                        }
                        if !lifetime.hasEnded { lifetime.scope.insert(last) }
                        // First, since the observer of the end may apply the action again.
                        eventsInput.send(value: termination.event())
                        last.dispose()
                    })
                let gate = Gate(part)
                lifetime.scope.insert(gate)
                if lifetime.hasEnded { return }
                work.begin(
                    Observer(receive: { gate.receive($0) }, finish: { gate.finish($0) }), within: lifetime)
            })
    }
}

extension Action: BindingTargetProvider {
    /// Applies the action to each value; those that come while it is not enabled are dropped, and `disabledErrors` says
    /// so.
    public var bindingTarget: BindingTarget<Input> {
        BindingTarget(lifetime: lifetime) { [weak self] in self?.apply($0).start() }
    }
}

extension Action where Input == Void {
    /// Returns a producer. Each start of it does a piece of work, or fails with `disabled` if the action is not
    /// enabled.
    public func apply() -> SignalProducer<Output, ActionError<Error>> {
        apply(())
    }

    /// Makes an action that is enabled while nothing is under way.
    ///
    /// - Parameter execute: Makes the work, from the value of `state` at the start.
    public convenience init<State: PropertyProtocol>(
        state: State, execute: @escaping @Sendable (State.Value) -> SignalProducer<Output, Error>
    ) {
        self.init(state: state) { state, _ in execute(state) }
    }

    /// Makes an action that is enabled while `state` is not `nil`, and nothing is under way.
    ///
    /// - Parameter execute: Makes the work, from the value of `state` at the start.
    public convenience init<Wrapped: Sendable>(
        unwrapping state: some PropertyProtocol<Wrapped?>,
        execute: @escaping @Sendable (Wrapped) -> SignalProducer<Output, Error>
    ) {
        self.init(unwrapping: state) { state, _ in execute(state) }
    }

    /// Makes an action that is enabled while the latest value proposed to `state` is valid, and nothing is under way.
    ///
    /// - Parameter execute: Makes the work, from the valid value at the start.
    public convenience init<Value: Sendable, ValidationError: Swift.Error>(
        validated state: ValidatingProperty<Value, ValidationError>,
        execute: @escaping @Sendable (Value) -> SignalProducer<Output, Error>
    ) {
        self.init(validated: state) { value, _ in execute(value) }
    }
}

/// The error of an application of an action.
public enum ActionError<Error: Swift.Error>: Swift.Error {
    /// The action was not enabled.
    case disabled
    /// The work failed.
    case producerFailed(Error)
}

extension ActionError: Equatable where Error: Equatable {}

extension ActionError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .disabled: "The action is not enabled, or it is under way already: see isEnabled."
        case let .producerFailed(error): "\(error)"
        }
    }
}

private struct ActionStatus: Sendable {
    /// True if the state allows a start.
    var isAllowed: Bool
    var isExecuting: Bool

    var isEnabled: Bool { isAllowed && !isExecuting }

    /// - Returns: True if nothing was under way.
    mutating func begin() -> Bool {
        defer { isExecuting = true }
        return !isExecuting
    }
}
