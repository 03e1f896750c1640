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
package struct MergePlan<Object: Identifiable & Sendable> where Object.ID: Primitive {
    package private(set) var result = MergeResult<Object>()

    /// - Parameters:
    ///   - stored: The stored objects that match the merge's condition, and those with an id of `objects`.
    ///   - isMatching: Returns true if a stored object matches the condition.
    package init(
        of objects: [Object], into stored: [Object], isMatching: (Object) -> Bool, isSame: (Object, Object) -> Bool
    ) throws(StoreError) {
        var old = Dictionary(stored.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var seen = Set<Object.ID>(minimumCapacity: objects.count)
        for object in objects {
            guard seen.insert(object.id).inserted else { throw .duplicate(id: "\(object.id)") }
            if let stored = old.removeValue(forKey: object.id) {
                if !isSame(stored, object) { result.updated.append(object) }
            } else {
                result.inserted.append(object)
            }
        }
        result.deleted = stored.filter { old[$0.id] != nil && isMatching($0) }
    }
}
