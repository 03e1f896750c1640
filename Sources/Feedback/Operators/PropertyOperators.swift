extension PropertyProtocol {
    /// A property of the results of `transform` for this one's values.
    @inlinable
    public func map<U>(_ transform: @escaping @Sendable (Value) -> U) -> Property<U> {
        derive { $0.map(transform) }
    }

    /// A property of the part at `keyPath` of this one's values.
    @inlinable
    @_disfavoredOverload  // A literal becomes a closure, which is faster.
    public func map<U>(_ keyPath: KeyPath<Value, U> & Sendable) -> Property<U> {
        derive { $0.map(keyPath) }
    }

    /// The property that is set to `value` each time this one changes.
    @inlinable
    @_disfavoredOverload  // A trailing closure is a transform, not a value.
    public func map<U>(value: U) -> Property<U> {
        derive { $0.map(value: value) }
    }

    /// The property of those values that `isIncluded` accepts; `initial` until there is one.
    @inlinable
    public func filter(initial: Value, _ isIncluded: @escaping @Sendable (Value) -> Bool) -> Property<Value> {
        derive { $0.filter(isIncluded).starting(with: initial) }
    }

    /// The property whose changes differ from the value before them, by `isEquivalent`.
    @inlinable
    public func skipRepeats(_ isEquivalent: @escaping @Sendable (Value, Value) -> Bool) -> Property<Value> {
        derive { $0.skipRepeats(isEquivalent) }
    }

    /// The property that takes only values whose identity, made by `transform`, it has not had before.
    @inlinable
    public func uniqueValues<Identity: Hashable & Sendable>(
        _ transform: @escaping @Sendable (Value) -> Identity
    ) -> Property<Value> {
        derive { $0.uniqueValues(transform) }
    }

    /// The property of each value together with the one before it; the first together with `initial`.
    @inlinable
    public func combinePrevious(_ initial: Value) -> Property<(Value, Value)> {
        derive { $0.combinePrevious(initial) }
    }

    /// The property of the values of the properties that `transform` makes, brought together by `strategy`.
    @inlinable
    public func flatMap<Inner: PropertyProtocol>(
        _ strategy: FlattenStrategy, _ transform: @escaping @Sendable (Value) -> Inner
    ) -> Property<Inner.Value> {
        let place = PropertyPlace(after: [place], isFlattened: true)
        return Property(
            combining: outerDerivations(for: place).joining(strategy) { transform($0).innerDerivations(for: place) },
            at: place)
    }
}

extension PropertyProtocol where Value: Equatable {
    /// The property whose changes differ from the value before them.
    @inlinable
    public func skipRepeats() -> Property<Value> {
        derive { $0.skipRepeats() }
    }
}

extension PropertyProtocol where Value: Hashable {
    /// The property that takes only values that it has not had before.
    @inlinable
    public func uniqueValues() -> Property<Value> {
        derive { $0.uniqueValues() }
    }
}

extension PropertyProtocol where Value: PropertyProtocol {
    /// The property of the values of the properties that this one has, brought together by `strategy`.
    @inlinable
    public func flatten(_ strategy: FlattenStrategy) -> Property<Value.Value> {
        flatMap(strategy) { $0 }
    }
}

// MARK: - Several

extension PropertyProtocol {
    /// The property of both values.
    @inlinable
    public func combineLatest<Other: PropertyProtocol>(with other: Other) -> Property<(Value, Other.Value)> {
        let place = PropertyPlace(after: [place, other.place])
        return Property<(Value, Other.Value)>(
            combining: combiningLatest(derivations(for: place), with: other.derivations(for: place)), at: place)
    }

    /// The property of both values, which takes the next ones when both have changed.
    @inlinable
    public func zip<Other: PropertyProtocol>(with other: Other) -> Property<(Value, Other.Value)> {
        let place = PropertyPlace(after: [place, other.place])
        return Property<(Value, Other.Value)>(
            combining: zipping(derivations(for: place), with: other.derivations(for: place)), at: place)
    }
}

extension PropertyProtocol {
    /// The property of the values of all.
    ///
    /// ```swift
    /// let canSend = Property.combineLatest(name, isOnline).map { name, isOnline in !name.isEmpty && isOnline }
    /// ```
    public static func combineLatest<each Other: Sendable>(
        _ first: any PropertyProtocol<Value>, _ others: repeat any PropertyProtocol<each Other>
    ) -> Property<(Value, repeat each Other)> {
        let place = PropertyPlace(after: places(first, repeat each others))
        return Property<(Value, repeat each Other)>(
            combining: combiningLatest(first.derivations(for: place), repeat (each others).derivations(for: place)),
            at: place)
    }

    /// The property of the values of all, in their order; `nil` if there are none.
    @inlinable
    public static func combineLatest<Properties: Sequence>(
        _ properties: Properties
    ) -> Property<[Value]>? where Properties.Element: PropertyProtocol<Value> {
        let properties = Array(properties)
        return properties.isEmpty ? nil : combineLatest(properties, emptySentinel: [])
    }

    /// The property of the values of all, in their order. If there are none, it is always `emptySentinel`.
    @inlinable
    public static func combineLatest<Properties: Sequence>(
        _ properties: Properties, emptySentinel: [Value]
    ) -> Property<[Value]> where Properties.Element: PropertyProtocol<Value> {
        let properties = Array(properties)
        if properties.isEmpty { return Property<[Value]>(value: emptySentinel) }
        let place = PropertyPlace(after: properties.map(\.place))
        return Property<[Value]>(
            combining: combiningLatest(all: properties.map { $0.derivations(for: place) }), at: place)
    }

    /// The property of the values of all, which takes the next ones when all have changed.
    public static func zip<each Other: Sendable>(
        _ first: any PropertyProtocol<Value>, _ others: repeat any PropertyProtocol<each Other>
    ) -> Property<(Value, repeat each Other)> {
        let place = PropertyPlace(after: places(first, repeat each others))
        return Property<(Value, repeat each Other)>(
            combining: zipping(first.derivations(for: place), repeat (each others).derivations(for: place)),
            at: place)
    }

    /// The property of the values of all, in their order, which takes the next ones when all have changed; `nil` if
    /// there are none.
    @inlinable
    public static func zip<Properties: Sequence>(
        _ properties: Properties
    ) -> Property<[Value]>? where Properties.Element: PropertyProtocol<Value> {
        let properties = Array(properties)
        return properties.isEmpty ? nil : zip(properties, emptySentinel: [])
    }

    /// The property of the values of all, in their order, which takes the next ones when all have changed. If
    /// there are none, it is always `emptySentinel`.
    @inlinable
    public static func zip<Properties: Sequence>(
        _ properties: Properties, emptySentinel: [Value]
    ) -> Property<[Value]> where Properties.Element: PropertyProtocol<Value> {
        let properties = Array(properties)
        if properties.isEmpty { return Property<[Value]>(value: emptySentinel) }
        let place = PropertyPlace(after: properties.map(\.place))
        return Property<[Value]>(combining: zipping(all: properties.map { $0.derivations(for: place) }), at: place)
    }
}

@usableFromInline
func places<each Value: Sendable>(
    _ properties: repeat any PropertyProtocol<each Value>
) -> [PropertyPlace] {
    var places: [PropertyPlace] = []
    for property in repeat each properties { places.append(property.place) }
    return places
}

// MARK: - Booleans

extension PropertyProtocol where Value == Bool {
    /// The property that is true when this one is false.
    @inlinable
    public func negate() -> Property<Bool> { map(!) }

    /// The property that is true when both are.
    @inlinable
    public func and(_ property: some PropertyProtocol<Bool>) -> Property<Bool> {
        combineLatest(with: property).map { $0 && $1 }
    }

    /// The property that is true when either is.
    @inlinable
    public func or(_ property: some PropertyProtocol<Bool>) -> Property<Bool> {
        combineLatest(with: property).map { $0 || $1 }
    }
}

extension PropertyProtocol where Value == Bool {
    /// The property that is true when all are; always, if there are none.
    @inlinable
    public static func all<Properties: Collection>(
        _ properties: Properties
    ) -> Property<Bool> where Properties.Element: PropertyProtocol<Bool> {
        combineLatest(properties, emptySentinel: []).map { $0.allSatisfy { $0 } }
    }

    /// The property that is true when all are.
    @inlinable
    public static func all(_ properties: any PropertyProtocol<Bool>...) -> Property<Bool> {
        all(properties.map { $0.map { $0 } })
    }

    /// The property that is true when any is; never, if there are none.
    @inlinable
    public static func any<Properties: Collection>(
        _ properties: Properties
    ) -> Property<Bool> where Properties.Element: PropertyProtocol<Bool> {
        combineLatest(properties, emptySentinel: []).map { $0.contains(true) }
    }

    /// The property that is true when any is.
    @inlinable
    public static func any(_ properties: any PropertyProtocol<Bool>...) -> Property<Bool> {
        any(properties.map { $0.map { $0 } })
    }
}
