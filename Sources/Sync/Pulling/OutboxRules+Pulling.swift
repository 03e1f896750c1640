import Foundation
import Persistence

// Pulling places the server's objects below the waiting writes.

extension OutboxRules {
    /// Replaces the objects of a part of the table by those of a server's answer, below the waiting writes.
    ///
    /// - Parameters:
    ///   - unreadable: The objects that the server has, and that are left out of the answer since they cannot be read.
    ///   - known: The shown objects of that part.
    ///   - damaged: The ids of those that cannot be read. They are replaced, or removed.
    ///   - settled: The entities of which a newer truth than this answer is known.
    ///   - hasWrites: Returns true if an entity has waiting writes. The truth below them is kept even if the server no
    ///     longer has the object.
    ///   - parked: The entities whose first write is parked, if the answer has all objects of the server. If the answer
    ///     does not have one of them, it was deleted there. Parked writes are not sent, so there is no other way to
    ///     learn that.
    /// - Returns: The least possible number of a change that was left out; nil if none was, or if changes have no
    ///   numbers.
    @discardableResult
    func merge(
        _ answer: [Object], without unreadable: [UnreadableObject] = [], replacing known: [Object],
        damaged: Set<Object.ID> = [], settledMeanwhile settled: Set<String>, hasWrites: (String) -> Bool,
        parked: Set<String> = [], in rows: some OutboxRows<Object>
    ) throws(StoreError) -> Int? {
        let before = Dictionary(known.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var present: Set<Object.ID> = []
        var leftOut = LeftOut()
        for object in answer {
            present.insert(object.id)
            let entity = entity(object.id)
            if settled.contains(entity) {
                leftOut.note(number(of: object))
                continue
            }
            if let old = before[object.id], !hasWrites(entity), schema.values(of: old) == schema.values(of: object) {
                continue
            }
            try setTruth(object, of: object.id, in: rows)
        }
        for id in damaged.subtracting(present) where !settled.contains(entity(id)) {
            let writes = try rows.writes(of: entity(id))
            if writes.isEmpty { try rows.show(nil, id: id) } else { try show(writes, in: rows) }
        }
        present.formUnion(unreadable.compactMap { Object.ID(of: $0, kind: schema.id.attribute.kind) })
        for object in known where !present.contains(object.id) {
            let entity = entity(object.id)
            if !settled.contains(entity), !hasWrites(entity) {
                try rows.show(nil, id: object.id)
            } else if settled.contains(entity) || !parked.contains(entity) {
                // If it was deleted, that was after its last known change.
                leftOut.note(try truth(of: object.id, in: rows).flatMap(number).map(\.after))
            }
        }
        for entity in parked.subtracting(settled).subtracting(present.map(entity)) {
            try forgetTruth(below: rows.writes(of: entity), in: rows)
        }
        return leftOut.number
    }

    /// Places changed objects below the waiting writes.
    ///
    /// - Parameter settled: The entities of which a newer truth than this answer may be known.
    /// - Returns: The least number of the changes that were left out; nil if none was.
    func merge(
        changed objects: [Object], settledMeanwhile settled: Set<String>, in rows: some OutboxRows<Object>
    ) throws(StoreError) -> Int? {
        var leftOut = LeftOut()
        for object in objects {
            // The numbers show which one is newer. An object that is not known may have been deleted before or after
            // this change.
            if let known = try truth(of: object.id, in: rows).flatMap(number), let new = number(of: object) {
                // An older version of the program may have hidden the object, since it could not read it.
                let isNews = known == new ? try rows.shown(object.id) == nil : known < new
                if isNews { try setTruth(object, of: object.id, in: rows) }
            } else if settled.contains(entity(object.id)) {
                leftOut.note(number(of: object))
            } else {
                try setTruth(object, of: object.id, in: rows)
            }
        }
        return leftOut.number
    }

    /// Removes objects that the server has deleted.
    ///
    /// - Returns: The least number of the deletions that were left out; nil if none was. Deletions of objects with
    ///   waiting writes are left out, since the server's answer to the write decides about the object.
    func merge(_ deletions: [Deletion<Object.ID>], in rows: some OutboxRows<Object>) throws(StoreError) -> Int? {
        var leftOut = LeftOut()
        for deletion in deletions {
            let writes = try rows.writes(of: entity(deletion.id))
            let known = try truth(of: deletion.id, in: rows).flatMap(number)
            // The object may have been added again.
            if let known, known > deletion.number { continue }
            if let first = writes.first, first.parking == .none {
                leftOut.note(deletion.number)
            } else if !writes.isEmpty {
                try forgetTruth(below: writes, in: rows)
            } else if known != nil {
                try rows.show(nil, id: deletion.id)
            }
        }
        return leftOut.number
    }

    // MARK: - Machinery

    /// The least number of the changes that were left out.
    private struct LeftOut {
        var number: Int?

        mutating func note(_ new: Int?) { number = [number, new].compactMap { $0 }.min() }
    }

    /// Places the server's object below the waiting writes, or shows it if there are none.
    private func setTruth(_ object: Object, of id: Object.ID, in rows: some OutboxRows<Object>) throws(StoreError) {
        var writes = try rows.writes(of: entity(id))
        guard !writes.isEmpty else { return try rows.show(object, id: id) }
        writes[0].truth = schema.truth(object)
        try rows.put(writes[0])
        try show(writes, in: rows)
    }

    /// Records that the server has deleted the object below a parked write. The object with the write stays on the
    /// screen.
    private func forgetTruth(below writes: [OutboxRow], in rows: some OutboxRows<Object>) throws(StoreError) {
        var writes = writes
        guard let first = writes.first, first.parking != .none, first.truth != .noObject,
            // A damaged row may have an entity of its own, which is no object.
            id(of: first).map({ entity($0) == first.entity }) ?? true
        else { return }
        // A write that cannot be read stays as it is, for a version of the program that can read it.
        if var write = try? write(first), let known = try? schema.object(fromTruth: first.truth) {
            write.addAgain(write.applied(to: known))
            writes[0].body = try write.encoded()
            // It is another request now.
            (writes[0].key, writes[0].isUncertain) = (UUID(), false)
        }
        writes[0].truth = .noObject
        try rows.put(writes[0])
    }
}
