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
    ///
    /// - Parameter isNamed: `true` if a conflict has named the columns that others have changed.
    mutating func rebase(on current: Object?, meaning object: Object?, isNamed: Bool) {
        firstVersion = nil
        guard let current else {
            guard let object, kind != .delete else { return }
            (kind, version) = (.upsert, nil)
            new = schema.values(of: object)
            old = Array(repeating: nil, count: new.count)
            unseen = []
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
                let base = new[index] == nil ? nil : values[index]
                if base != old[index] {
                    if base == nil || isNamed { unseen.remove(index) } else { unseen.insert(index) }
                }
                old[index] = base
            }
        }
    }

    /// Adapts this write, which is based on an object that a person saw, to the one that is shown now. Columns that have
    /// their new values already are left out.
    mutating func follow(shown object: Object) {
        let values = schema.values(of: object)
        for index in new.indices where new[index] == values[index] { (new[index], old[index]) = (nil, nil) }
        if isUnchanged(in: values) { takeVersion(of: values) }
    }

    /// Adapts this write to an earlier one that the server has accepted: the columns which that write has set are no
    /// conflict.
    ///
    /// - Parameters:
    ///   - object: The server's object after the earlier write.
    ///   - isResult: `true` if the server has checked the expectations of the earlier write, and done it, and this is
    ///     the result.
    mutating func follow(_ earlier: Self, leaving object: Object?, isResult: Bool) {
        guard let object, kind == .update || kind == .delete else { return }
        let values = schema.values(of: object)
        // If both writes are based on the same version, no other client has changed the object between them. What the
        // earlier one has not set, such as a column that the server computes, is the server's work.
        if isResult, !earlier.isEmpty, let base = baseVersion, base != .null, base == earlier.baseVersion {
            for index in old.indices where old[index] != nil { old[index] = values[index] }
            takeVersion(of: values)
            firstVersion = base
            return
        }
        for index in old.indices where old[index] != nil && earlier.new[index] != nil { old[index] = values[index] }
        takeVersion(of: values, after: earlier)
    }

    /// Adapts this write to an earlier one that was given up: it gets the base of that write. If a person has not seen
    /// that base, the columns that the server's object has with other values are a conflict, as with an insertion, which
    /// has no base.
    mutating func follow(_ earlier: Self, givenUpFor object: Object?) {
        guard let object, kind == .update || kind == .delete else { return }
        let values = schema.values(of: object)
        for index in old.indices where old[index] != nil && old[index] != values[index] {
            if earlier.new[index] == nil || earlier.unseen.contains(index) { continue }
            old[index] = earlier.old[index] ?? old[index]
        }
        takeVersion(of: values, after: earlier)
    }

    private var baseVersion: PrimitiveValue? { firstVersion ?? version }

    /// Bases this write on the version of an object if that still has all old values. If another client has changed one
    /// of them, the write gets a version that the server no longer has, so that the server finds the conflict. It cannot
    /// keep its own: that may be the version of a later object, whose values the earlier write has hidden on the screen.
    private mutating func takeVersion(of values: [PrimitiveValue], after earlier: Self) {
        if isUnchanged(in: values) { return takeVersion(of: values) }
        firstVersion = nil
        guard let versionColumn else { return }
        // The server may not be able to compare all old values. So they are compared only if its objects have the version
        // null.
        version = earlier.version
        if version == nil || version == values[versionColumn] { version = values[versionColumn] == .null ? nil : .null }
    }

    private mutating func takeVersion(of values: [PrimitiveValue]) {
        guard let versionColumn else { return }
        (version, firstVersion) = (values[versionColumn], nil)
    }

    /// Returns true if an object with these values still has all old values.
    private func isUnchanged(in values: [PrimitiveValue]) -> Bool {
        old.indices.allSatisfy { $0 == versionColumn || old[$0] == nil || old[$0] == values[$0] }
    }
}

/// The answer of a server to a write.
public enum OutboxAnswer<Object: Sendable>: Sendable {
    /// The write is done. The value is the server's object as the write has left it; nil if it was deleted.
    ///
    /// If the object is read later, with another request, others may have changed it meanwhile. If it differs from what
    /// the write has made, the answer is ``conflict(_:)`` with the object as it is now.
    case accepted(Object?)
    /// The server's object is not the one on which the write was based, and nothing was changed; or the write is done,
    /// and the object was changed again before it was read. The value is the server's object.
    case conflict(Object?)
    /// The server refuses the write, and would refuse it again.
    case refused(reason: String)
    /// The server was reached, but cannot do the write at the moment.
    ///
    /// - Parameters:
    ///   - after: The time after which it wants to be asked again; nil if it does not say.
    ///   - mayBeDone: `false` if this request was certainly not done.
    case busy(reason: String, after: Duration? = nil, mayBeDone: Bool = true)
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
    /// The server performs it only if its object meets the write's ``OutboxWrite/expectations``. If the server does not
    /// answer with the object, and it is read later, the answer must be ``OutboxAnswer/conflict(_:)`` if the object
    /// differs from what the write has made.
    func send(_ write: OutboxWrite<Object>, key: UUID) async -> OutboxAnswer<Object>
}
