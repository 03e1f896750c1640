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
        arguments: RandomIDs.types.indices)
    func randomWrites(_ type: Int) throws { try check(RandomIDs.types[type]) }

    private func check<ID: RandomID>(_ type: ID.Type) throws {
        let schema = Sample<ID>.schema
        var random = RandomSamples<ID>(seed: 7, hasZeroBytes: false)
        let memory = MemoryStore(schema)
        let postgres = try PostgresStore(schema, in: TestServer.running().database())
        let objects = random.objects()
        try memory.upsert(objects).get()
        try postgres.upsert(objects).get()
        for number in 0..<Self.writes {
            let write = random.write()
            #expect(write.perform(on: postgres) == write.perform(on: memory), "write \(number) of \(type), \(write)")
            var isSame = schema.areSame(try postgres.all().result().get(), try memory.all().result().get())
            #expect(isSame, "after write \(number) of \(type), \(write)")
            for _ in 0..<10 {
                let query = random.query(for: memory, depth: 3)
                isSame = schema.areSame(try query.asked(of: postgres).result().get(), try query.result().get())
                #expect(isSame, "\(type): \(query)")
                let attribute = random.pick(schema.columns).attribute
                for kind in [Aggregate<Sample<ID>>.Kind.minimum, .maximum, .distinct, .counts, .sum, .average] {
                    let aggregate = Aggregate(kind, of: attribute)
                    let rows = Result { () throws(StoreError) in
                        try memory.aggregate(aggregate, of: query).values()[0]
                    }
                    let others = Result { () throws(StoreError) in
                        try postgres.aggregate(aggregate, of: query.asked(of: postgres)).values()[0]
                    }
                    #expect(rows == others, "\(type): \(kind) of \(attribute) for \(query)")
                }
            }
        }
    }
}
