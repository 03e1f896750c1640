import FeedbackTesting
import Foundation
import Persistence
import Postgres
import Testing

@Suite("PostgreSQL keeps and finds objects with ids of any type as memory does", .onOwnThread)
struct PostgresSampleTests {
    /// The number of random writes for each type of id; `POSTGRES_WRITES` changes it.
    static let writes = ProcessInfo.processInfo.environment["POSTGRES_WRITES"].flatMap(Int.init) ?? 10

    @Test(
        "After each of many random writes, memory and PostgreSQL hold the same objects, and answer random queries alike",
        arguments: RandomIDs.types.indices, [false, true])
    func randomWrites(_ type: Int, _ hasUniques: Bool) throws { try check(RandomIDs.types[type], hasUniques) }

    private func check<ID: RandomID>(_ type: ID.Type, _ hasUniques: Bool) throws {
        let schema = Sample<ID>.schema(hasUniques: hasUniques)
        var random = RandomSamples<ID>(seed: 7, hasZeroBytes: false)
        let memory = MemoryStore(schema)
        let postgres = try PostgresStore(schema, in: TestServer.running().database())
        for object in random.objects() {
            let write = RandomSampleWrite.upsert([object])
            #expect(write.perform(on: postgres) == write.perform(on: memory))
        }
        for number in 0..<Self.writes {
            let write = random.write()
            let (outcome, expected) = (write.perform(on: postgres), write.perform(on: memory))
            // If an update is forbidden for several reasons, PostgreSQL need not find the first one first.
            var isUpdate = false
            if case .update = write { isUpdate = true }
            let haveFailed = outcome.error != nil && expected.error != nil
            #expect(outcome == expected || isUpdate && haveFailed, "write \(number) of \(type), \(write)")
            var isSame = schema.areSame(try postgres.all().result().get(), try memory.all().result().get())
            #expect(isSame, "after write \(number) of \(type), \(write)")
            for _ in 0..<10 {
                let query = random.query(for: memory, depth: 3)
                isSame = schema.areSame(try query.asked(of: postgres).result().get(), try query.result().get())
                #expect(isSame, "\(type): \(query)")
                let attribute = random.pick(schema.columns).attribute
                for aggregate in Aggregate.all(of: attribute) {
                    let rows = query.rows(of: aggregate)
                    #expect(query.asked(of: postgres).rows(of: aggregate) == rows, "\(type): \(aggregate) for \(query)")
                }
            }
        }
    }
}
