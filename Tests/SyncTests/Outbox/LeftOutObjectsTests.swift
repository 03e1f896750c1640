import Persistence
import Testing

@testable import Sync

struct LeftOutObjectsTests {
    @Test("Noting an answer reads no entries of other objects, since there may be many", arguments: [[1, 3], nil])
    func reading(answered: [Int]?) throws {
        let database = try SQLiteDatabase(.memory)
        let outbox = try Outbox(in: database)
        let leftOut = try LeftOutObjects(of: "days", in: outbox)
        func note(_ objects: [UnreadableObject], answering ids: [Int]?) throws {
            try outbox.rows.perform { transaction throws(StoreError) in
                try leftOut.note(objects, answering: ids, in: transaction)
            }
        }
        func entries() throws -> [[PrimitiveValue]] {
            try database.rows("SELECT object FROM outbox_unreadable ORDER BY id").map { Array($0) }
        }
        try note([.elated(1), .elated(3), .elated(6)], answering: nil)
        // Whoever reads this entry fails.
        try database.execute("UPDATE outbox_unreadable SET found = x'00' WHERE object = '6'")
        #expect(throws: StoreError.self) { try leftOut.refresh() }
        try note([.elated(3)], answering: answered)
        #expect(try entries() == (answered == nil ? [[.text("3")]] : [[.text("3")], [.text("6")]]))
    }
}
