import Feedback
import Foundation

/// A type of ids that a store can generate: whole numbers and UUIDs.
public protocol GeneratedID: Primitive {
    /// True if ``next(after:)`` needs to know the largest id.
    static var followsLast: Bool { get }

    /// Returns an id that no object has, given the largest one if there is any; nil if there are no more.
    static func next(after last: Self?) -> Self?
}

extension GeneratedID where Self: FixedWidthInteger {
    public static var followsLast: Bool { true }

    public static func next(after last: Self?) -> Self? {
        guard let last else { return 1 }
        let (next, isTooLarge) = last.addingReportingOverflow(1)
        return isTooLarge ? nil : next
    }
}

extension Int: GeneratedID {}
extension Int32: GeneratedID {}
extension Int64: GeneratedID {}
extension UInt32: GeneratedID {}

extension UUID: GeneratedID {
    public static var followsLast: Bool { false }

    public static func next(after last: UUID?) -> UUID? { UUID() }
}

extension TransactionalStore where Object.ID: GeneratedID {
    /// Adds the object that `make` returns for a new id, and emits it.
    ///
    ///     movies.insert { id in Movie(id: id, title: "Alien") }
    ///
    /// A number is one more than the largest id that is stored, so the id of a deleted object may be used again.
    public func insert(_ make: @escaping @Sendable (Object.ID) -> Object) -> SignalProducer<Object, StoreError> {
        transaction { transaction throws(StoreError) in try insert(make, in: transaction) }
    }

    /// Adds the object that `make` returns for a new id, and returns it.
    @discardableResult
    public func insert(_ make: @escaping @Sendable (Object.ID) -> Object) async throws(StoreError) -> Object {
        try await transaction { transaction throws(StoreError) in try insert(make, in: transaction) }
    }

    private func insert(
        _ make: @Sendable (Object.ID) -> Object, in transaction: Transaction
    ) throws(StoreError) -> Object {
        let last =
            Object.ID.followsLast
            ? try transaction.execute(all().sorted(by: SortCriterion(.id, .descending)).page(limit: 1)).first?.id : nil
        guard let id = Object.ID.next(after: last) else {
            throw .outOfRange(reason: "there is no id after the last one")
        }
        let object = make(id)
        try transaction.insert([object])
        return object
    }
}
