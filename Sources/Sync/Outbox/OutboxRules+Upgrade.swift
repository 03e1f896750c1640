import Foundation
import Persistence

extension OutboxRules {
    /// Adapts the writes of an entity, which an earlier version of the program has stored, to the present schema.
    ///
    /// The values of columns that did not exist come from the shown object, to which a migration has given them. A
    /// write that cannot be read stays as it is, and is parked when its turn comes.
    func upgrade(_ writes: [OutboxRow], in rows: some OutboxRows<Object>) throws(StoreError) {
        var writes = writes
        guard let id = writes.lazy.compactMap({ id(of: $0) }).first else { return }
        // The shown object may be unreadable for the same reason as its write.
        let shown = (try? rows.shown(id)).map(schema.values)
        for index in writes.indices {
            if index == 0, let row = writes[0].truth, row != .noObject, row != .unknownObject,
                let object = object(ofRow: row, else: shown)
            {
                writes[0].truth = schema.truth(object)
            }
            if var write = try? write(writes[index]) {
                if write.kind == .insert || write.kind == .upsert {
                    for column in write.new.indices where write.new[column] == nil {
                        write.new[column] = shown?[column]
                    }
                }
                if let body = try? write.encoded() {
                    writes[index].body = body
                    if writes[index].parking == .unreadable { writes[index] = writes[index].unparked }
                }
            }
            try rows.put(writes[index])
        }
    }

    /// Makes an object of a row of JSON in which columns are missing; nil if it cannot be made.
    private func object(ofRow row: Data, else values: [PrimitiveValue]?) -> Object? {
        let found = columns.values(ofRow: row)
        return try? schema.object(from: found.indices.map { found[$0] ?? values?[$0] ?? .null })
    }
}
