import Feedback

// Sort order and page have no effect on any of these.

extension Query {
    /// Emits the sum of a property; nil values do not count. Fails with ``StoreError/outOfRange(reason:)`` if it is too large.
    public func sum<Value: Primitive>(
        _ property: KeyPath<S.Object, Value> & Sendable
    ) -> SignalProducer<Value.Scalar, StoreError> where Value.Scalar: OrderedPrimitive & AdditiveArithmetic {
        store.aggregate(Aggregate(.sum, of: Attribute(property)), of: self).attemptMap { rows in sum(rows, property) }
    }

    /// Returns the sum of a property; nil values do not count. Throws ``StoreError/outOfRange(reason:)`` if it is too large.
    public func sum<Value: Primitive>(
        _ property: KeyPath<S.Object, Value> & Sendable
    ) async throws(StoreError) -> Value.Scalar where Value.Scalar: OrderedPrimitive & AdditiveArithmetic {
        try sum(await rows(.sum, Attribute(property)), property).get()
    }

    /// Emits the average of a property, or nil if it is nil for all objects.
    public func average<Value: Primitive>(
        _ property: KeyPath<S.Object, Value> & Sendable
    ) -> SignalProducer<Double?, StoreError> where Value.Scalar: OrderedPrimitive & AdditiveArithmetic {
        store.aggregate(Aggregate(.average, of: Attribute(property)), of: self).map { value(of: $0) }
    }

    /// Returns the average of a property, or nil if it is nil for all objects.
    public func average<Value: Primitive>(
        _ property: KeyPath<S.Object, Value> & Sendable
    ) async throws(StoreError) -> Double? where Value.Scalar: OrderedPrimitive & AdditiveArithmetic {
        value(of: try await rows(.average, Attribute(property)))
    }

    /// Emits the smallest value of a property, or nil if it is nil for all objects.
    public func min<Value: Primitive>(
        _ property: KeyPath<S.Object, Value> & Sendable
    ) -> SignalProducer<Value.Scalar?, StoreError> {
        store.aggregate(Aggregate(.minimum, of: Attribute(property)), of: self).map { value(of: $0) }
    }

    /// Returns the smallest value of a property, or nil if it is nil for all objects.
    public func min<Value: Primitive>(
        _ property: KeyPath<S.Object, Value> & Sendable
    ) async throws(StoreError) -> Value.Scalar? {
        value(of: try await rows(.minimum, Attribute(property)))
    }

    /// Emits the largest value of a property, or nil if it is nil for all objects. NaN is larger than every number.
    public func max<Value: Primitive>(
        _ property: KeyPath<S.Object, Value> & Sendable
    ) -> SignalProducer<Value.Scalar?, StoreError> {
        store.aggregate(Aggregate(.maximum, of: Attribute(property)), of: self).map { value(of: $0) }
    }

    /// Returns the largest value of a property, or nil if it is nil for all objects. NaN is larger than every number.
    public func max<Value: Primitive>(
        _ property: KeyPath<S.Object, Value> & Sendable
    ) async throws(StoreError) -> Value.Scalar? {
        value(of: try await rows(.maximum, Attribute(property)))
    }

    /// Emits the values of a property that occur, each once, sorted, nil first.
    public func distinct<Value: Primitive>(
        _ property: KeyPath<S.Object, Value> & Sendable
    ) -> SignalProducer<[Value], StoreError> {
        store.aggregate(Aggregate(.distinct, of: Attribute(property)), of: self).map { values(of: $0) }
    }

    /// Returns the values of a property that occur, each once, sorted, nil first.
    public func distinct<Value: Primitive>(
        _ property: KeyPath<S.Object, Value> & Sendable
    ) async throws(StoreError) -> [Value] {
        values(of: try await rows(.distinct, Attribute(property)))
    }

    /// Emits how many objects have each value of a property.
    public func count<Value: Primitive>(
        by property: KeyPath<S.Object, Value> & Sendable
    ) -> SignalProducer<[Value: Int], StoreError> {
        store.aggregate(Aggregate(.counts, of: Attribute(property)), of: self).map { counts(of: $0) }
    }

    /// Returns how many objects have each value of a property.
    public func count<Value: Primitive>(
        by property: KeyPath<S.Object, Value> & Sendable
    ) async throws(StoreError) -> [Value: Int] {
        counts(of: try await rows(.counts, Attribute(property)))
    }

    // MARK: - From rows to values

    private func rows(
        _ kind: Aggregate<S.Object>.Kind, _ attribute: Attribute<S.Object>
    ) async throws(StoreError) -> [[PrimitiveValue]] {
        try await store.aggregate(Aggregate(kind, of: attribute), of: self)
    }

    private func sum<Value: Primitive>(
        _ rows: [[PrimitiveValue]], _ property: KeyPath<S.Object, Value>
    ) -> Result<Value.Scalar, StoreError> where Value.Scalar: AdditiveArithmetic {
        guard let sum = rows.first?.first, let value = Value.Scalar(primitiveValue: sum) else {
            return .failure(.outOfRange(reason: "the sum of \(property)"))
        }
        return .success(value)
    }

    private func value<Value: Primitive>(of rows: [[PrimitiveValue]]) -> Value? {
        rows.first?.first.flatMap { $0 == .null ? nil : Value(primitiveValue: $0) }
    }

    private func values<Value: Primitive>(of rows: [[PrimitiveValue]]) -> [Value] {
        rows.compactMap { $0.first.flatMap { Value(primitiveValue: $0) } }
    }

    private func counts<Value: Primitive>(of rows: [[PrimitiveValue]]) -> [Value: Int] {
        var counts: [Value: Int] = [:]
        for row in rows where row.count == 2 {
            if let value = Value(primitiveValue: row[0]), let count = Int(primitiveValue: row[1]) {
                counts[value] = count
            }
        }
        return counts
    }
}
