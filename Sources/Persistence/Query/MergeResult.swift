/// The changes that `Store.merge(_:where:)` made. Stored objects that have not changed are in none of the three lists.
public struct MergeResult<Object: Sendable>: Sendable {
    /// The objects that were not stored before.
    public var inserted: [Object]
    /// The objects that replaced others with their ids.
    public var updated: [Object]
    /// The objects that were stored, match the condition, and are not among the merged ones.
    public var deleted: [Object]

    /// Makes a result of the inserted, updated and deleted objects.
    public init(inserted: [Object] = [], updated: [Object] = [], deleted: [Object] = []) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }

    /// True if the merge changed nothing.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

extension MergeResult: Equatable where Object: Equatable {}

/// The difference between the stored objects and the merged ones. It takes linear time.
///
/// A store deletes the ``deleted`` ids, updates the ``updated`` objects, and inserts the ``inserted`` ones, in this
/// order.
package struct MergePlan<Object: Identifiable & Sendable> where Object.ID: Primitive {
    package private(set) var result = MergeResult<Object>()
    /// The ids of the objects that are deleted, and of those that are deleted to be inserted again.
    package private(set) var deleted: [Object.ID] = []
    /// The objects that are updated in their places.
    package private(set) var updated: [Object] = []
    /// The objects that are inserted, and those that are inserted again.
    package private(set) var inserted: [Object] = []

    /// - Parameters:
    ///   - stored: The stored objects that match the merge's condition, and those with an id of `objects`.
    ///   - uniques: The properties of each index that forbids equal values.
    ///   - isMatching: Returns true if a stored object matches the condition.
    package init(
        of objects: [Object], into stored: [Object], uniques: [[Attribute<Object>]] = [],
        isMatching: (Object) -> Bool, isSame: (Object, Object) -> Bool
    ) throws(StoreError) {
        var old = Dictionary(stored.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var replaced: [Object] = []
        var seen = Set<Object.ID>(minimumCapacity: objects.count)
        for object in objects {
            guard seen.insert(object.id).inserted else { throw .duplicate(id: object.id.printed) }
            if let stored = old.removeValue(forKey: object.id) {
                if !isSame(stored, object) {
                    result.updated.append(object)
                    replaced.append(stored)
                }
            } else {
                result.inserted.append(object)
            }
        }
        result.deleted = stored.filter { old[$0.id] != nil && isMatching($0) }
        let taking = Self.takingOver(result.updated, from: replaced, uniques)
        updated = result.updated.filter { !taking.contains($0.id) }
        deleted = result.deleted.map(\.id) + taking
        inserted = result.updated.filter { taking.contains($0.id) } + result.inserted
    }

    /// Returns the ids of the updated objects that get a unique value which a later one of them gives up.
    ///
    /// Such an object cannot be updated before the later one, so it is inserted again after all updates.
    private static func takingOver(
        _ updated: [Object], from replaced: [Object], _ uniques: [[Attribute<Object>]]
    ) -> Set<Object.ID> {
        var taking: Set<Object.ID> = []
        for attributes in uniques {
            func values(of object: Object) -> [PrimitiveValue] { attributes.map { $0.value(in: object) } }
            var givers: [[PrimitiveValue]: Int] = [:]
            for (index, (old, new)) in zip(replaced, updated).enumerated() where values(of: old) != values(of: new) {
                givers[values(of: old)] = index
            }
            if givers.isEmpty { continue }
            // Any number of objects may have no value.
            for (index, new) in updated.enumerated() where !values(of: new).contains(.null) {
                if let giver = givers[values(of: new)], giver > index { taking.insert(new.id) }
            }
        }
        return taking
    }
}
