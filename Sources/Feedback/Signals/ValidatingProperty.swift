import Synchronization

/// A property that checks each value before it takes it.
///
/// ```swift
/// let name = ValidatingProperty<String, NameError>("") { name in
///     name.isEmpty ? .invalid(.empty) : .valid
/// }
/// name.result.producer.startOnMain { label.text = $0.error.map { "\($0)" } }
/// name <~ textField.texts
/// ```
///
/// An invalid value is not taken: `value` keeps the last valid one, and `result` tells why.
public final class ValidatingProperty<Value: Sendable, ValidationError: Swift.Error>: PropertyProtocol {
    /// The decision of a validator about a proposed value.
    public enum Decision: Sendable {
        /// The value is valid.
        case valid
        /// The value is not valid, and this replacement is taken instead.
        case coerced(Value, ValidationError?)
        /// The value is not valid.
        case invalid(ValidationError)
    }

    /// The outcome of the latest proposal.
    public enum Result: Sendable {
        /// The value was taken.
        case valid(Value)
        /// The replacement was taken instead of the proposed value.
        case coerced(replacement: Value, proposed: Value, error: ValidationError?)
        /// The value was not taken.
        case invalid(Value, ValidationError)
    }

    /// The outcome of the latest proposal; at first that of the initial value, which is taken in any case.
    public let result: Property<Result>

    private let state: MutableProperty<ValidationState>
    private let committed: Property<Value>
    private let validate: @Sendable (Value) -> Decision
    /// The property that the valid values are written to, if there is one.
    private let inner: MutableProperty<Value>?
    /// The changes of `inner` that were made here.
    private let ownWrites: OwnWrites
    /// The number of changes of what the validator sees beside the value.
    private let revalidations = Atomic(0)
    private let token = Lifetime.Token()

    struct ValidationState: Sendable {
        var value: Value
        var result: Result
        /// The number of results so far.
        var results = 0
        /// The number of values that were taken.
        var commits = 0
    }

    private init(_ initial: Value, inner: MutableProperty<Value>?, _ validate: @escaping @Sendable (Value) -> Decision)
    {
        self.inner = inner
        let ownWrites = OwnWrites()
        self.ownWrites = ownWrites
        let changes = inner.map { HeldChanges($0.signal) { value in ownWrites.numberBeforeOther.map { (value, $0) } } }
        let initial = inner?.value ?? initial
        self.validate = validate
        state = MutableProperty(
            ValidationState(value: initial, result: Result(initial, validate(initial))))
        result = state.derive { $0.skipRepeats { $0.results == $1.results }.map { $0.result } }
        committed = state.derive { $0.skipRepeats { $0.commits == $1.commits }.map { $0.value } }
        lifetime += changes?.pass { [weak self] in self?.innerChanged(to: $0, after: $1) }
    }

    /// Makes a property that checks proposed values by `validator`.
    ///
    /// - Parameter validator: A pure function. The initial value is taken in any case.
    public convenience init(_ initial: Value, _ validator: @escaping @Sendable (Value) -> Decision) {
        self.init(initial, inner: nil, validator)
    }

    /// Makes a property that writes valid values to `inner`, which it keeps alive.
    ///
    /// A value that is set on `inner` directly is checked too, for `result`, but not taken back. If this property has
    /// replaced it before it is delivered, it is not checked any more.
    public convenience init(_ inner: MutableProperty<Value>, _ validator: @escaping @Sendable (Value) -> Decision) {
        self.init(inner.value, inner: inner, validator)
    }

    /// Makes a property whose validator also sees the value of `other`. When that changes, the latest proposal is
    /// checked again.
    public convenience init<Other: PropertyProtocol>(
        _ initial: Value, with other: Other, _ validator: @escaping @Sendable (Value, Other.Value) -> Decision
    ) {
        let changes = HeldChanges(following: other)
        self.init(initial, inner: nil, { validator($0, other.value) })
        lifetime += changes.pass { [weak self] _ in self?.conditionChanged() }
    }

    /// Makes a property that writes valid values to `inner`, and whose validator also sees the value of `other`. When
    /// that changes, the latest proposal is checked again, and written to `inner` if it is valid. So do not set `inner`
    /// on one thread while `other` changes on another.
    public convenience init<Other: PropertyProtocol>(
        _ inner: MutableProperty<Value>, with other: Other,
        _ validator: @escaping @Sendable (Value, Other.Value) -> Decision
    ) {
        let changes = HeldChanges(following: other)
        self.init(inner.value, inner: inner, { validator($0, other.value) })
        lifetime += changes.pass { [weak self] _ in self?.conditionChanged() }
    }

    /// Makes a property whose validator also sees the latest value proposed to `other`. When that changes, the latest
    /// proposal is checked again.
    public convenience init<U, E>(
        _ initial: Value, with other: ValidatingProperty<U, E>, _ validator: @escaping @Sendable (Value, U) -> Decision
    ) {
        self.init(initial, with: other.result) { validator($0, $1.attempted) }
    }

    /// Makes a property that writes valid values to `inner`, and whose validator also sees the latest value proposed to
    /// `other`. When that changes, the latest proposal is checked again.
    public convenience init<U, E>(
        _ inner: MutableProperty<Value>, with other: ValidatingProperty<U, E>,
        _ validator: @escaping @Sendable (Value, U) -> Decision
    ) {
        self.init(inner, with: other.result) { validator($0, $1.attempted) }
    }

    // MARK: - Using

    /// The last value that was taken. Setting it proposes a value.
    public var value: Value {
        get { inner?.value ?? state.value.value }
        set { propose(newValue) }
    }

    /// The last value that was taken at once, then each that is taken.
    public var producer: SignalProducer<Value, NoError> { inner?.producer ?? committed.producer }

    /// Each value that is taken from now on.
    public var signal: Signal<Value, NoError> { inner?.signal ?? committed.signal }

    /// The lifetime of the property.
    public var lifetime: Lifetime { Lifetime(token) }

    // MARK: - Machinery

    private func propose(_ proposed: Value) {
        if check(proposed, { $0.value }) != nil { writeToInner() }
    }

    /// Checks a value, again if what the validator sees changes meanwhile, and keeps the result, unless `isOutdated`.
    ///
    /// - Returns: The value to take, as `chosen` returns it for the result.
    private func check(
        _ proposed: Value, _ chosen: (Result) -> Value?, isOutdated: () -> Bool = { false }
    ) -> Value? {
        var tries = 0
        while true {
            tries += 1
            let seen = revalidations.load(ordering: .acquiring)
            let result = Result(proposed, validate(proposed))
            let value = chosen(result)
            // A condition that changes faster than the validator runs will change again, and is checked then.
            let isLast = tries == 10
            let isCurrent = { isLast || seen == self.revalidations.load(ordering: .acquiring) }
            if keep(result, value, if: { _ in isCurrent() && !isOutdated() }) { return value }
            if isOutdated() { return nil }
        }
    }

    /// Checks the latest proposal again: after the changes of `inner` that wait, as each of them is one.
    private func conditionChanged() {
        revalidations.add(1, ordering: .acquiringAndReleasing)
        guard let inner else { return revalidate() }
        inner.core.changes.lane.perform { [weak self] in self?.revalidate() }
    }

    /// Checks the latest proposal again; the one that follows it, if that comes meanwhile.
    private func revalidate() {
        while true {
            let latest = state.value
            let result = Result(latest.result.attempted, validate(latest.result.attempted))
            guard keep(result, result.value, if: { $0.results == latest.results }) else { continue }
            return result.value == nil ? () : writeToInner()
        }
    }

    private func keep(_ result: Result, _ value: Value?, if isCurrent: (ValidationState) -> Bool) -> Bool {
        let replaced = state.modify { state -> ValidationState? in
            guard isCurrent(state) else { return nil }
            let replaced = state
            state.result = result
            state.results += 1
            if let value {
                state.value = value
                state.commits += 1
            }
            return replaced
        }
        // Released outside the lock.
        return replaced != nil
    }

    private func writeToInner() {
        guard let inner else { return }
        // The latest one, since another thread may be about to write its own.
        ownWrites.change(inner) { value in value = state.withValue { $0.value } }
    }

    /// - Parameter number: The number of own changes before this one of another.
    private func innerChanged(to value: Value, after number: Int) {
        _ = check(value, { _ in value }, isOutdated: { !ownWrites.isLatest(number) })
    }
}

extension ValidatingProperty: BindingTargetProvider {
    /// Proposes each value.
    public var bindingTarget: BindingTarget<Value> {
        BindingTarget(lifetime: lifetime) { [weak self] value in self?.value = value }
    }
}

extension ValidatingProperty.Result {
    /// True if the value was not taken.
    public var isInvalid: Bool { if case .invalid = self { true } else { false } }

    /// The value that was taken, if one was.
    public var value: Value? {
        switch self {
        case let .valid(value): value
        case let .coerced(replacement, _, _): replacement
        case .invalid: nil
        }
    }

    /// The reason for which the value was not taken.
    public var error: ValidationError? { if case let .invalid(_, error) = self { error } else { nil } }

    /// The value that was proposed.
    var attempted: Value {
        switch self {
        case let .valid(value): value
        case let .coerced(_, proposed, _): proposed
        case let .invalid(value, _): value
        }
    }

    init(_ value: Value, _ decision: ValidatingProperty.Decision) {
        switch decision {
        case .valid: self = .valid(value)
        case let .coerced(replacement, error): self = .coerced(replacement: replacement, proposed: value, error: error)
        case let .invalid(error): self = .invalid(value, error)
        }
    }
}

extension ValidatingProperty.Result: Equatable where Value: Equatable, ValidationError: Equatable {}

/// Holds the changes of a signal back until the object that they concern is there.
private struct HeldChanges<Change: Sendable> {
    private let receive = Serial<@Sendable (Change) -> Void>({ _ in })
    private let gate: Gate<Change, NoError>
    private let observation: any Disposable

    /// - Parameter change: Called for each value of the signal when it comes; `nil` leaves it out.
    init<Source>(_ signal: Signal<Source, NoError>, _ change: @escaping @Sendable (Source) -> Change?) {
        self.init { input in
            signal.core.observe(
                Observer(
                    receive: { value in if let change = change(value) { input.receive(change) } },
                    finish: { input.finish($0) }))
        }
    }

    private init(_ observe: (Observer<Change, NoError>) -> any Disposable) {
        // Written before the gate opens, and read behind it.
        let receive = receive
        let gate = Gate<Change, NoError>(Observer(receive: { receive.value($0) }, finish: { _ in }), isTaken: true)
        self.gate = gate
        observation = observe(Observer(receive: { gate.receive($0) }, finish: { gate.finish($0) }))
    }

    /// The changes of a property as those that are derived from it get them: before the observers of that.
    init(following property: some PropertyProtocol<Change>) {
        self.init { property.derivations.skip(first: 1).start($0) }
    }

    /// Passes on what was held back, and what comes from now on.
    func pass(_ receive: @escaping @Sendable (Change) -> Void) -> any Disposable {
        self.receive.value = receive
        gate.drain()
        return observation
    }
}
