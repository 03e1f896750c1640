import FeedbackTesting
import Foundation
import Persistence
import Testing

/// The stores agree on properties and ids of each type, also after writes.
@Suite("Objects with ids of any type are kept and found alike by every store", .onOwnThread)
struct SampleAgreementTests {
    /// The number of random writes for each type of id; `PERSISTENCE_WRITES` changes it.
    static let writes = ProcessInfo.processInfo.environment["PERSISTENCE_WRITES"].flatMap(Int.init) ?? 20

    @Test(
        "After each of many random writes, memory and SQLite hold the same objects, and answer random queries alike",
        arguments: RandomIDs.types.indices)
    func randomWrites(_ type: Int) throws { try check(RandomIDs.types[type]) }

    private func check<ID: RandomID>(_ type: ID.Type) throws {
        let schema = Sample<ID>.schema
        var random = RandomSamples<ID>(seed: 7)
        let memory = MemoryStore(schema)
        let plain = MemoryStore(id: \Sample<ID>.id)
        let sqlite = try SQLiteStore(schema, in: SQLiteDatabase(.memory))
        let objects = random.objects()
        let first = try schema.areSame(
            memory.upsert(objects).get(), sqlite.upsert(objects).get())
        #expect(first)
        try plain.upsert(objects).get()
        let observed = (0..<5).map { _ in Observed(random.query(for: sqlite, depth: 1)) }
        for number in 0..<Self.writes {
            let write = random.write()
            let outcome = write.perform(on: memory)
            #expect(write.perform(on: sqlite) == outcome, "write \(number) of \(type), \(write)")
            #expect(write.perform(on: plain) == outcome, "write \(number) of \(type), \(write)")
            let all = try memory.all().result().get()
            var isSame = schema.areSame(try sqlite.all().result().get(), all)
            #expect(isSame, "after write \(number) of \(type), \(write)")
            for observation in observed {
                let isTold = try observation.isTold(in: schema)
                #expect(isTold, "after write \(number) of \(type), \(write), of \(observation.query)")
            }
            for _ in 0..<10 {
                let query = random.query(for: memory, depth: 3)
                let answer = PlainAnswer(query).answer(from: all)
                isSame = schema.areSame(try query.result().get(), answer)
                #expect(isSame, "memory, \(type): \(query)")
                isSame = schema.areSame(try query.asked(of: plain).result().get(), answer)
                #expect(isSame, "memory without indexes, \(type): \(query)")
                isSame = schema.areSame(try query.asked(of: sqlite).result().get(), answer)
                #expect(isSame, "SQLite, \(type): \(query)")
                #expect(try query.asked(of: sqlite).count().get() == query.count().get(), "\(type): \(query)")
                let attribute = random.pick(schema.columns).attribute
                for aggregate in Aggregate.all(of: attribute) {
                    let rows = query.rows(of: aggregate)
                    #expect(query.asked(of: sqlite).rows(of: aggregate) == rows, "\(type): \(aggregate) for \(query)")
                }
            }
        }
    }
}
