import Foundation
import Persistence

// The actions that a person can take on a write that the server has refused.

extension OutboxRules {
    /// Prepares a parked write to be sent again, based on the last known object of the server.
    ///
    /// If an answer was lost before it was refused, or could not be read, it is sent as it was, with its key: the first attempt may have been
    /// done, and its object changed by another client since, or may still be under way.
    ///
    /// - Returns: The numbers of the removed writes: this one, if the server's object already is as the write would
    ///   make it.
    func retry(
        _ number: Int, of entity: String, key: UUID, in rows: some OutboxRows<Object>
    ) throws(StoreError) -> [Int] {
        var writes = try rows.writes(of: entity)
        guard !writes.isEmpty, writes[0].number == number else { throw .missing(id: "\(number)") }
        var write = try write(writes[0])
        if writes[0].isUncertain, [.refused, .unconfirmed].contains(writes[0].parking) {
            try rows.put(writes[0].unparked)
            return []
        }
        // A refused insertion is sent as it is; one that found an existing object becomes a change of that object.
        // A write is sent as it is, too, if it is not known what it would be based on.
        if let truth = KnownTruth(writes[0], schema), write.kind != .insert || truth.object != nil {
            let meant = write.applied(to: try rows.shown(write.id))
            write.rebase(on: truth.object, meaning: meant, isNamed: false)
        }
        if write.isEmpty { return try drop(writes, at: 0, in: rows) }
        try put(write, as: &writes[0], key: key, in: rows)
        return []
    }

    /// Replaces a parked write by another one to the same object.
    ///
    /// - Parameter seen: The object that the person has edited; nil if that is the shown one.
    func edit(
        _ number: Int, to edited: Object, basedOn seen: Object? = nil, key: UUID, in rows: some OutboxRows<Object>
    ) throws(StoreError) {
        var object = edited
        if let seen, let shown = try rows.shown(edited.id) {
            let change = Write.update(from: seen, to: edited, schema, versionColumn: versionColumn)
            object = change?.applied(to: shown) ?? shown
        }
        var writes = try rows.writes(of: entity(object.id))
        guard !writes.isEmpty, writes[0].number == number else { throw .missing(id: "\(number)") }
        let truth = KnownTruth(writes[0], schema)
        let write: Write
        if let known = truth?.object {
            guard var update = Write.update(from: known, to: object, schema, versionColumn: versionColumn) else {
                try drop(writes, at: 0, in: rows)
                return
            }
            update.unseen = hiddenColumns(of: known, below: writes).filter { update.new[$0] != nil }
            write = update
        } else {
            // If it is not known what the server has, the write replaces it.
            write = .insert(object, schema, versionColumn: versionColumn, replaces: truth == nil)
        }
        try put(write, as: &writes[0], key: key, in: rows)
        if truth == nil, writes.count == 1 { return try rows.show(object, id: object.id) }
        try show(writes, in: rows)
    }

    /// Returns the columns of the server's object whose values no person has seen: a pull has brought them below waiting
    /// writes.
    private func hiddenColumns(of known: Object, below writes: [OutboxRow]) -> Set<Int> {
        let values = schema.values(of: known)
        var hidden: Set<Int> = []
        var rest = Set(values.indices)
        for row in writes {
            guard let write = try? write(row) else { return hidden.union(rest) }
            // Only the first write that sets a column is based on the server's value.
            for index in rest where write.kind == .delete || write.new[index] != nil {
                rest.remove(index)
                if write.old[index] != values[index] || write.unseen.contains(index) { hidden.insert(index) }
            }
        }
        return hidden
    }

    /// Removes a write, and later writes that are meaningless without it.
    ///
    /// - Returns: The numbers of the removed writes.
    @discardableResult
    func giveUp(_ number: Int, of entity: String, in rows: some OutboxRows<Object>) throws(StoreError) -> [Int] {
        let writes = try rows.writes(of: entity)
        guard let index = writes.firstIndex(where: { $0.number == number }) else { return [] }
        return try drop(writes, at: index, in: rows)
    }

    /// Removes a write, and later writes that are meaningless without it. What cannot be read does not hinder that.
    ///
    /// - Parameter writes: All writes of the entity.
    @discardableResult
    func drop(_ writes: [OutboxRow], at index: Int, in rows: some OutboxRows<Object>) throws(StoreError)
        -> [Int]
    {
        var rest = writes
        let row = rest.remove(at: index)
        var dropped = [row]
        let truth = KnownTruth(writes[0], schema)
        if index == 0 {
            // Changes of an object that does not exist are meaningless.
            while let truth, truth.object == nil, let next = rest.first, let kind = try? write(next).kind,
                [.update, .delete].contains(kind)
            {
                dropped.append(rest.removeFirst())
            }
            if !rest.isEmpty {
                if let truth, let earlier = try? write(row) {
                    if var next = try? write(rest[0]) {
                        next.follow(earlier, givenUpFor: truth.object)
                        rest[0].body = try next.encoded()
                    }
                    try withdrawBases(of: rest.dropFirst(), truth.object, hiddenBy: earlier, in: rows)
                }
                rest[0].truth = row.truth
                try rows.put(rest[0])
            }
        }
        // A write in the middle may be the last one that sets a column.
        rows.note(nil, of: row.entity)
        for row in dropped { try rows.remove(row.number) }
        if truth != nil, !rest.isEmpty {
            try show(rest, in: rows)
        } else if let truth, let id = id(of: row) ?? truth.object?.id {
            try rows.show(truth.object, id: id)
        } else {
            // The next pull brings the server's object.
            try rows.pullAgain(after: 0)
        }
        return dropped.map(\.number)
    }

    /// Returns the id of the object that a write concerns, also if the rest of the write cannot be read.
    func id(of row: OutboxRow) -> Object.ID? { Write.id(in: row.body, schema) }
}

/// The server's object below the writes of an entity; nil if it cannot be read.
private struct KnownTruth<Object: Identifiable & Sendable> where Object.ID: Primitive {
    /// The object; nil if the server has none.
    let object: Object?

    init?(_ first: OutboxRow, _ schema: Schema<Object>) {
        do throws(StoreError) { object = try schema.object(fromTruth: first.truth) } catch { return nil }
    }
}
