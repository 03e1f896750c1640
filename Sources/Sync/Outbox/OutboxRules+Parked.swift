import Foundation
import Persistence

// The actions that a person can take on a write that the server has refused.

extension OutboxRules {
    /// Prepares a parked write to be sent again, based on the last known object of the server.
    ///
    /// - Returns: The numbers of the removed writes: this one, if the server's object already is as the write would
    ///   make it.
    func retry(
        _ number: Int, of entity: String, key: UUID, in rows: some OutboxRows<Object>
    ) throws(StoreError) -> [Int] {
        var writes = try rows.writes(of: entity)
        guard !writes.isEmpty, writes[0].number == number else { throw .missing(id: "\(number)") }
        var write = try write(writes[0])
        let truth = try schema.object(fromTruth: writes[0].truth)
        // A refused insertion is sent as it is; one that found an existing object becomes a change of that object.
        if write.kind != .insert || truth != nil {
            write.rebase(on: truth, meaning: write.applied(to: try rows.shown(write.id)))
        }
        if write.isEmpty { return try drop(writes, at: 0, in: rows) }
        try put(write, as: &writes[0], key: key, in: rows)
        return []
    }

    /// Replaces a parked write by another one to the same object.
    func edit(
        _ number: Int, to object: Object, key: UUID, in rows: some OutboxRows<Object>
    ) throws(StoreError) {
        var writes = try rows.writes(of: entity(object.id))
        guard !writes.isEmpty, writes[0].number == number else { throw .missing(id: "\(number)") }
        let truth = try schema.object(fromTruth: writes[0].truth)
        let write: Write
        if let truth {
            guard let update = Write.update(from: truth, to: object, schema, versionColumn: versionColumn) else {
                try drop(writes, at: 0, in: rows)
                return
            }
            write = update
        } else {
            write = .insert(object, schema, versionColumn: versionColumn, replaces: false)
        }
        try put(write, as: &writes[0], key: key, in: rows)
        try show(writes, in: rows)
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

    @discardableResult
    func drop(_ writes: [OutboxRow], at index: Int, in rows: some OutboxRows<Object>) throws(StoreError)
        -> [Int]
    {
        var rest = writes
        var dropped = [rest.remove(at: index)]
        var shown = try optimistic(writes)
        shown.rollBack(writes[index].number)
        if index == 0 {
            let truth = try schema.object(fromTruth: writes[0].truth)
            // Changes of an object that does not exist are meaningless.
            while truth == nil, let next = rest.first, try [.update, .delete].contains(write(next).kind) {
                dropped.append(rest.removeFirst())
                shown.rollBack(next.number)
            }
            if !rest.isEmpty {
                var next = try write(rest[0])
                next.follow(try write(writes[0]), givenUpFor: truth)
                rest[0].body = try next.encoded()
                rest[0].truth = writes[0].truth
                try rows.put(rest[0])
            }
        }
        for row in dropped { try rows.remove(row.number) }
        try rows.show(shown.value, id: try write(writes[index]).id)
        return dropped.map(\.number)
    }
}
