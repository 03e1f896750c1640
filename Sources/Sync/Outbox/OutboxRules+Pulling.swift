import Foundation
import Persistence

// Pulling puts the server's objects below the writes that wait.

extension OutboxRules {
    /// Puts the server's object below the writes that wait, or on the screen if none do.
    func setTruth(_ object: Object?, of id: Object.ID, in rows: some OutboxRows<Object>) throws(StoreError) {
        var writes = try rows.writes(of: entity(id))
        guard !writes.isEmpty else { return try rows.show(object, id: id) }
        writes[0].truth = try schema.truth(object)
        try rows.put(writes[0])
        try show(writes, in: rows)
    }

    /// Makes the objects of a part of the table be those of a server's answer, below the writes that wait.
    ///
    /// - Parameters:
    ///   - known: The shown objects of that part.
    ///   - settled: The entities whose writes the server has answered since it was asked. The answer may be older than that.
    ///   - hasWrites: Whether an entity has writes that wait. What the server says is gone stays below these.
    ///   - parked: The entities whose first write is parked, if the answer has all objects of the server. Those of them that
    ///     it does not have are gone there, which the server has no other way to say: it is not asked about them again.
    func merge(
        _ answer: [Object], replacing known: [Object], settledMeanwhile settled: Set<String>,
        hasWrites: (String) -> Bool, parked: Set<String> = [], in rows: some OutboxRows<Object>
    ) throws(StoreError) {
        let before = Dictionary(known.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var present: Set<Object.ID> = []
        for object in answer {
            present.insert(object.id)
            let entity = entity(object.id)
            if settled.contains(entity) { continue }
            if let old = before[object.id], !hasWrites(entity), schema.values(of: old) == schema.values(of: object) {
                continue
            }
            try setTruth(object, of: object.id, in: rows)
        }
        for object in known where !present.contains(object.id) {
            let entity = entity(object.id)
            if !settled.contains(entity), !hasWrites(entity) { try rows.show(nil, id: object.id) }
        }
        for entity in parked.subtracting(settled).subtracting(present.map(entity)) {
            try forgetTruth(of: entity, in: rows)
        }
    }

    /// Notes that the object below a parked write is gone on the server. What the write meant stays on the screen.
    private func forgetTruth(of entity: String, in rows: some OutboxRows<Object>) throws(StoreError) {
        var writes = try rows.writes(of: entity)
        guard let first = writes.first, first.parking != .none, first.truth != .noObject else { return }
        var write = try write(first)
        write.rebase(on: nil, meaning: write.applied(to: try schema.object(fromTruth: first.truth)))
        writes[0].body = try write.encoded()
        writes[0].truth = .noObject
        try rows.put(writes[0])
        try show(writes, in: rows)
    }
}
