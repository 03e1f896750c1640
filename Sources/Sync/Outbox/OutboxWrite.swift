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
    public internal(set) var version: PrimitiveValue?
    /// The position of the column of the version.
    let versionColumn: Int?

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

    /// Returns true if an object meets the expectations.
    func isExpected(_ object: Object) -> Bool {
        let values = schema.values(of: object)
        return expectations.allSatisfy { values[$0.column] == $0.value }
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
        for index in new.indices where index != versionColumn && old[index] != new[index] {
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

// MARK: - Basing it on another object

extension OutboxWrite {
    /// Returns the columns that this write changes and another client has changed to a different value meanwhile.
    ///
    /// - Parameter mayBeDone: `true` if the write may have been done already. If one of the changed columns has the new
    ///   value, the write was done; columns with other values were then changed by another client after it, also back
    ///   to their old values. If objects have versions, the write counts as done, too, since it may be one of the
    ///   changes since its version.
    func contestedColumns(in current: Object, mayBeDone: Bool = false) -> [Int] {
        let values = schema.values(of: current)
        let set = new.indices.filter { new[$0] != nil && old[$0] != nil }
        let changed = set.filter { old[$0] != new[$0] }
        let wasDone = mayBeDone && (versionColumn != nil || changed.contains { values[$0] == new[$0] })
        return (wasDone ? set : changed).filter { values[$0] != new[$0] && (wasDone || values[$0] != old[$0]) }
    }

    /// Returns true if the server's object already is as this write would make it.
    func isDone(in current: Object?) -> Bool {
        guard let current else { return kind == .delete }
        guard kind != .delete else { return false }
        return zip(schema.values(of: current), new).enumerated().allSatisfy { index, pair in
            index == versionColumn || pair.1 == nil || pair.1 == pair.0
        }
    }

    /// Bases the write on the server's object. A change of a deleted object adds the object again. If the object
    /// already is as the write would make it, the write becomes empty.
    mutating func rebase(on current: Object?, meaning object: Object?) {
        guard let current else {
            guard let object, kind != .delete else { return }
            (kind, version) = (.upsert, nil)
            new = schema.values(of: object)
            old = Array(repeating: nil, count: new.count)
            return
        }
        let values = schema.values(of: current)
        version = versionColumn.map { values[$0] }
        switch kind {
        case .delete:
            old = values
        case .insert, .update, .upsert:
            kind = .update
            // A column that has the value already is left out, so that the write does not conflict with later changes
            // of it.
            for index in new.indices {
                if index == versionColumn || new[index] == values[index] { new[index] = nil }
                old[index] = new[index] == nil ? nil : values[index]
            }
        }
    }

    /// Adapts this write, which is based on an object that a person saw, to the one that is shown now. Columns that have
    /// their new values already are left out.
    mutating func follow(shown object: Object) {
        let values = schema.values(of: object)
        for index in new.indices where new[index] == values[index] { (new[index], old[index]) = (nil, nil) }
        takeVersion(of: values)
    }

    /// Adapts this write to an earlier one that the server has accepted: the columns which that write has set are no
    /// conflict.
    ///
    /// - Parameter object: The server's answer to the earlier write.
    mutating func follow(_ earlier: Self, leaving object: Object?) {
        guard let object, kind == .update || kind == .delete else { return }
        let values = schema.values(of: object)
        for index in old.indices where old[index] != nil && earlier.new[index] != nil { old[index] = values[index] }
        takeVersion(of: values)
    }

    /// Bases this write on the version of an object if that still has all old values. If another client has changed one
    /// of them, the write keeps its version, so that the server finds the conflict.
    private mutating func takeVersion(of values: [PrimitiveValue]) {
        guard let versionColumn else { return }
        let isUnchanged = old.indices.allSatisfy { index in
            index == versionColumn || old[index] == nil || old[index] == values[index]
        }
        if isUnchanged { version = values[versionColumn] }
    }

    /// Adapts this write to an earlier one that was given up: it gets the base of that write. An insertion has none, so
    /// columns that the server's object has with other values are a conflict.
    mutating func follow(_ earlier: Self, givenUpFor object: Object?) {
        guard let object, kind == .update || kind == .delete else { return }
        for index in old.indices where old[index] != nil && earlier.new[index] != nil {
            old[index] = earlier.old[index] ?? old[index]
        }
        if let base = earlier.version { version = base } else { takeVersion(of: schema.values(of: object)) }
    }
}

/// The answer of a server to a write.
public enum OutboxAnswer<Object: Sendable>: Sendable {
    /// The write is done. The value is the server's object now; nil if it was deleted.
    case accepted(Object?)
    /// The server's object is not the one on which the write was based, and nothing was changed. The value is the
    /// server's object.
    case conflict(Object?)
    /// The server refuses the write, and would refuse it again.
    case refused(reason: String)
    /// The server was reached, but cannot do the write at the moment.
    ///
    /// - Parameter after: The time after which it wants to be asked again; nil if it does not say.
    case busy(reason: String, after: Duration? = nil)
    /// The server was not reached, or its answer was lost.
    ///
    /// - Parameter mayBeDone: `true` if the request may have reached the server.
    case unreachable(reason: String, mayBeDone: Bool = true)
}

/// The server's side of an outbox: a table to which writes are sent one by one.
public protocol OutboxTable<Object>: Sendable {
    /// The type of the objects.
    associatedtype Object: Identifiable & Sendable where Object.ID: Primitive

    /// `true` if the server performs writes with the same key only once.
    var remembersKeys: Bool { get }

    /// Sends a write.
    ///
    /// The server performs it only if its object meets the write's ``OutboxWrite/expectations``.
    func send(_ write: OutboxWrite<Object>, key: UUID) async -> OutboxAnswer<Object>
}
