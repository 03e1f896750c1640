import Foundation
import Persistence

/// A write of one object, as an outbox stores it and a server receives it.
///
/// It has only the columns that it changes, so that two devices can change different columns of one object.
public struct OutboxWrite<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    /// The kinds of writes.
    public enum Kind: String, Sendable {
        /// Adds an object that does not exist.
        case insert
        /// Changes some columns of an object that exists.
        case update
        /// Adds an object. If the server has one with the same id, its columns are changed instead.
        ///
        /// It is sent as an insertion, so that a request that arrives late does not undo later writes.
        case upsert
        /// Removes an object.
        case delete
    }

    /// The schema of the object.
    public let schema: Schema<Object>
    /// The id of the object.
    public let id: Object.ID
    /// The kind of the write.
    public internal(set) var kind: Kind
    /// The new values of the columns, in the order of the schema; nil for a column that the write does not change.
    public internal(set) var new: [PrimitiveValue?]
    /// The values of the columns when the write was made; nil for a column whose old value does not matter.
    public internal(set) var old: [PrimitiveValue?]
    /// The version of the object on which the write is based; nil if the schema has no version, or there was no object.
    ///
    /// It is null if the server's object, whatever its version, has values that no person has seen. No object has this
    /// version, so the server finds a conflict.
    public internal(set) var version: PrimitiveValue?
    /// `true` if an earlier attempt to send the write may have been done.
    public internal(set) var mayBeDone = false
    /// The position of the column of the version.
    let versionColumn: Int?
    /// The version on which the write was based before it followed earlier ones of this device; nil if ``version`` still
    /// is that version.
    var firstVersion: PrimitiveValue?
    /// The columns whose old values have replaced those that a person saw, and were not named in a conflict either.
    var unseen: Set<Int> = []

    /// The values that the server's object must have, by the positions of the columns; otherwise there is a conflict.
    /// They are its version if the schema has one, and the old values of the changed columns if not.
    public var expectations: [(column: Int, value: PrimitiveValue)] {
        switch kind {
        case .insert, .upsert: []
        case .update, .delete:
            if let versionColumn, let version {
                [(versionColumn, version)]
            } else {
                old.indices.compactMap { index in old[index].map { (index, $0) } }
            }
        }
    }

    /// Returns true if the server's object meets the ``expectations``, so that the write can be done. Otherwise the answer
    /// is ``OutboxAnswer/conflict(_:)``.
    public func isExpected(_ object: Object) -> Bool {
        let values = schema.values(of: object)
        return expectations.allSatisfy { isSame(values[$0.column], $0.value) }
    }

    func isSame(_ one: PrimitiveValue?, _ other: PrimitiveValue?) -> Bool {
        PrimitiveValue.areStoredAlike(one, other)
    }

    /// Returns the object after the write, given the one before it.
    public func applied(to object: Object?) -> Object? {
        switch kind {
        case .insert, .upsert:
            let before = object.map(schema.values) ?? []
            return make(new.enumerated().map { $1 ?? (before.isEmpty ? .null : before[$0]) })
        case .update:
            guard let object else { return nil }
            return make(zip(schema.values(of: object), new).map { $1 ?? $0 }) ?? object
        case .delete:
            return nil
        }
    }

    private func make(_ values: [PrimitiveValue]) -> Object? { try? schema.object(from: values) }
}

extension OutboxWrite: OptimisticChange {
    public func apply(to value: inout Object?) { value = applied(to: value) }
}

// MARK: - Making one

extension OutboxWrite {
    init(_ kind: Kind, _ id: Object.ID, _ schema: Schema<Object>, _ versionColumn: Int?) {
        self.schema = schema
        self.id = id
        self.kind = kind
        self.versionColumn = versionColumn
        new = Array(repeating: nil, count: schema.columns.count)
        old = new
    }

    static func insert(_ object: Object, _ schema: Schema<Object>, versionColumn: Int?, replaces: Bool) -> Self {
        var write = Self(replaces ? .upsert : .insert, object.id, schema, versionColumn)
        write.new = schema.values(of: object)
        return write
    }

    /// Returns the change from one object to another; nil if they have the same values.
    static func update(from before: Object, to after: Object, _ schema: Schema<Object>, versionColumn: Int?) -> Self? {
        var write = Self(.update, after.id, schema, versionColumn)
        let (old, new) = (schema.values(of: before), schema.values(of: after))
        for index in new.indices where index != versionColumn && !write.isSame(old[index], new[index]) {
            (write.old[index], write.new[index]) = (old[index], new[index])
        }
        write.version = versionColumn.map { old[$0] }
        return write.isEmpty ? nil : write
    }

    static func delete(_ object: Object, _ schema: Schema<Object>, versionColumn: Int?) -> Self {
        var write = Self(.delete, object.id, schema, versionColumn)
        write.old = schema.values(of: object)
        write.version = versionColumn.flatMap { write.old[$0] }
        return write
    }

    /// `true` if there is nothing to send.
    var isEmpty: Bool { kind != .delete && !new.contains { $0 != nil } }
}
