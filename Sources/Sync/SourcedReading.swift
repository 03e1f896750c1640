import Persistence

/// A store that also answers without its server, and says where its answers come from.
public protocol SourcedReading<Object>: Sendable {
    /// The type of the objects.
    associatedtype Object: Identifiable & Sendable where Object.ID: Primitive

    /// Returns the object with this id, or nil if there is none.
    func object(withId id: Object.ID) async throws(StoreError) -> Sourced<Object?>

    /// Returns the objects that match a condition, sorted; with a `limit`, a page of them that begins after the last object of
    /// the page before.
    func fetch(
        where condition: Condition<Object>, sortedBy criteria: [SortCriterion<Object>], after: Object?, limit: Int?
    ) async throws(StoreError) -> Sourced<[Object]>
}

extension MirroredStore: SourcedReading {}
extension SyncedStore: SourcedReading {}
