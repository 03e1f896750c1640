import Feedback
import Persistence

// MARK: - Objects that cannot be read

extension MirroredStore {
    /// Records which objects were left out of an answer.
    ///
    /// - Parameter objects: The objects of the answer; nil if it tells about all.
    func note(_ new: [UnreadableObject], answering objects: [Object]?) {
        if new.isEmpty, leftOut.value.isEmpty { return }
        let answered = objects.map { Set($0.compactMap(\.id.primitiveValue.postgresText)) }
        let ids = Set(new.map(\.id))
        leftOut.modify { known in
            known.removeAll { answered?.contains($0.objectID) ?? true || ids.contains($0.id) }
            known = (known + new).sorted { $0.id < $1.id }
        }
    }

    func ids(of objects: [UnreadableObject]) -> Set<Object.ID> {
        Set(objects.compactMap { Object.ID(of: $0, kind: schema.id.attribute.kind) })
    }

    /// Throws if an object was left out: a write would be based on an object that was never seen.
    func check(_ id: Object.ID) throws(StoreError) {
        let known = leftOut.value
        if known.isEmpty { return }
        let text = id.primitiveValue.postgresText
        if let object = known.first(where: { $0.objectID == text }) { throw object.error }
    }
}

extension Query {
    /// `true` if the query asks for all objects.
    var isAboutAll: Bool { condition == .always && limit == nil && after == nil && offset == 0 }
}

// MARK: - Unique values

extension MirroredStore {
    /// The greatest number of objects in a condition.
    private static var batchSize: Int { 100 }

    /// Stores objects of the remote store.
    ///
    /// If two of them have exchanged a unique value, the local store can take over neither of them before the other one. So
    /// the local objects that have unique values of others are removed first: they are outdated.
    func store(_ objects: [Object]) async throws(StoreError) {
        do throws(StoreError) {
            try await local.upsert(objects)
        } catch {
            guard case .constraint = error, !schema.uniques.isEmpty else { throw error }
            for start in stride(from: 0, to: objects.count, by: Self.batchSize) {
                for attributes in schema.uniques {
                    let batch = objects[start..<min(start + Self.batchSize, objects.count)]
                    let isOutdated = batch.map { hasValues(of: $0, in: attributes) }
                        .reduce(Condition<Object>.never) { $0 || $1 }
                    try await local.delete(where: isOutdated)
                }
            }
            try await local.upsert(objects)
        }
    }

    /// Returns the condition of the other objects with the values of an object; those without a value clash with none.
    private func hasValues(of object: Object, in attributes: [Attribute<Object>]) -> Condition<Object> {
        var isOutdated = Condition(schema.id.attribute, .notEqual, object.id.primitiveValue) ?? .never
        for attribute in attributes {
            let value = attribute.value(in: object)
            guard value != .null, let isSame = Condition(attribute, .equal, value) else { return .never }
            isOutdated = isOutdated && isSame
        }
        return isOutdated
    }
}
