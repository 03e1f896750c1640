import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("Transactions of random parts, and unique properties", .onOwnThread)
struct SampleTransactionTests {
    /// The number of random transactions for each type of id; `PERSISTENCE_TRANSACTIONS` changes it.
    static let transactions =
        ProcessInfo.processInfo.environment["PERSISTENCE_TRANSACTIONS"].flatMap(Int.init) ?? 100

    private static let types: [any RandomID.Type] = [Int.self, String.self, UInt64.self]

    /// A part of a transaction, and the number of the steps after which it fails.
    private struct Part<ID: RandomID> {
        enum Step {
            case write(RandomSampleWrite<ID>)
            case part(Part)
        }

        var steps: [Step]
        var isUndone: Bool

        init(_ random: inout RandomSamples<ID>, depth: Int) {
            steps = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                depth > 0 && random.chance(40)
                    ? .part(Part(&random, depth: depth - 1)) : .write(random.write())
            }
            isUndone = random.chance(40)
        }

        /// Does the steps; returns their outcomes, and the objects that are stored after each.
        func perform<Transaction: StoreTransaction>(
            in transaction: Transaction, _ all: Query<Transaction.S>, _ outcomes: inout [RandomSampleWrite<ID>.Outcome]
        ) throws(StoreError) where Transaction.S.Object == Sample<ID> {
            for step in steps {
                switch step {
                case .write(let write): outcomes.append(write.perform(in: transaction))
                case .part(let part):
                    var inner: [RandomSampleWrite<ID>.Outcome] = []
                    do throws(StoreError) {
                        try transaction.withSavepoint { () throws(StoreError) in
                            try part.perform(in: transaction, all, &inner)
                        }
                    } catch {
                        inner.append(RandomSampleWrite<ID>.Outcome(error: error))
                    }
                    outcomes += inner
                }
                outcomes.append(
                    RandomSampleWrite<ID>.Outcome(
                        count: try transaction.count(all), ids: [try transaction.execute(all).map(\.id)]))
            }
            if isUndone { throw .rolledBack(reason: "undone") }
        }
    }

    @Test(
        "Random transactions, of which parts are undone, do on SQLite what they do in memory",
        arguments: types.indices, [false, true])
    func parts(_ type: Int, _ hasUniques: Bool) throws { try checkParts(Self.types[type], hasUniques) }

    private func checkParts<ID: RandomID>(_ type: ID.Type, _ hasUniques: Bool) throws {
        let schema = Sample<ID>.schema(hasUniques: hasUniques)
        var random = RandomSamples<ID>(seed: 11)
        let memory = MemoryStore(schema)
        let sqlite = try SQLiteStore(schema, in: SQLiteDatabase(.memory))
        let observed = (0..<5).map { _ in Observed(random.query(for: sqlite, depth: 1)) }
        let others = (0..<5).map { _ in Observed(random.query(for: memory, depth: 1)) }
        for number in 0..<Self.transactions {
            let part = Part(&random, depth: 3)
            let outcomes = try perform(part, on: memory)
            let difference = zip(try perform(part, on: sqlite), outcomes).first { $0 != $1 }
            #expect(difference == nil, "transaction \(number) of \(type)")
            let isSame = schema.areSame(try sqlite.all().result().get(), try memory.all().result().get())
            #expect(isSame, "after transaction \(number) of \(type)")
            for observation in observed {
                let isTold = try observation.isTold(in: schema)
                #expect(isTold, "SQLite, after transaction \(number) of \(type), of \(observation.query)")
            }
            for observation in others {
                let isTold = try observation.isTold(in: schema)
                #expect(isTold, "memory, after transaction \(number) of \(type), of \(observation.query)")
            }
        }
    }

    private func perform<S: SynchronousStore, ID>(
        _ part: Part<ID>, on store: S
    ) throws -> [RandomSampleWrite<ID>.Outcome] where S.Object == Sample<ID> {
        var outcomes: [RandomSampleWrite<ID>.Outcome] = []
        do throws(StoreError) {
            try store.perform { transaction throws(StoreError) in
                try part.perform(in: transaction, transaction.query(of: store), &outcomes)
            }
        } catch {
            outcomes.append(RandomSampleWrite<ID>.Outcome(error: error))
        }
        return outcomes
    }

    @Test(
        "A merge fails only if two objects would have the same unique values after it", arguments: StoreKind.allCases)
    func merges(_ kind: StoreKind) throws {
        let schema = Sample<Int>.schema(hasUniques: true)
        switch kind {
        case .memory: try checkMerges(of: MemoryStore(schema))
        case .sqlite: try checkMerges(of: SQLiteStore(schema, in: SQLiteDatabase(.memory)))
        }
    }

    private func checkMerges(of store: some SynchronousStore<Sample<Int>>) throws {
        let schema = Sample<Int>.schema
        var random = RandomSamples<Int>(seed: 5)
        var merges = 0
        for number in 0..<Self.transactions * 10 {
            let stored = try store.all().result().get()
            // Many of them exchange the values of stored objects.
            var values = stored.map { ($0.byte, $0.small, $0.flag) }.shuffled(using: &random)
            let objects = random.ids.filter { _ in random.chance(70) }.map { id in
                var object = random.object(id: id)
                if let value = values.popLast() { (object.byte, object.small, object.flag) = value }
                return object
            }
            let condition = random.chance(50) ? .always : random.condition(depth: 1)
            let ids = Set(objects.map(\.id))
            let expected =
                try stored.filter { try !ids.contains($0.id) && !condition.matches($0) } + objects
            let isAllowed = hasNoEqualValues(expected)
            do {
                try store.merge(objects, where: condition).get()
                merges += 1
                #expect(isAllowed, "merge \(number)")
                let isSame = schema.areSame(
                    try store.all().result().get(), expected.sorted { $0.id < $1.id })
                #expect(isSame, "merge \(number)")
            } catch StoreError.constraint {
                #expect(!isAllowed, "merge \(number)")
            }
        }
        #expect(merges > Self.transactions)
    }

    private func hasNoEqualValues(_ objects: [Sample<Int>]) -> Bool {
        let bytes = objects.compactMap(\.byte)
        let pairs = objects.compactMap { object in object.flag.map { "\(object.small) \($0)" } }
        return Set(bytes).count == bytes.count && Set(pairs).count == pairs.count
    }
}

extension StoreTransaction {
    /// The query for all objects of the store, for this transaction.
    fileprivate func query<Other: Store>(of store: Other) -> Query<Other> where Other == S { store.all() }
}
