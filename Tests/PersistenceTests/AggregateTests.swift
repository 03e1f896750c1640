import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("Aggregates")
struct AggregateTests {
    @Test("They are the same on every store, and what a reader expects", arguments: StoreKind.allCases)
    func values(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            try store.insert([
                .fixture(id: 1, rating: .G, budget: 5, score: 0.1, year: 1950, votes: .max),
                .fixture(id: 2, rating: .PG, budget: 7, score: 0.2, year: nil),
                .fixture(id: 3, rating: .G, budget: 9, score: 0.3, year: 1949),
            ]).get()
            let all = store.all()
            #expect(try all.sum(\.budget).get() == 21)
            #expect(try all.sum(\.year).get() == 3899)
            #expect(try all.sum(\.score).get() == 0.6)
            #expect(try all.sum(\.votes).get() == .max)
            #expect(try all.average(\.budget).get() == 7)
            #expect(try all.average(\.year).get() == 1949.5)
            #expect(try all.average(\.score).get() == 0.6 / 3)
            #expect(try all.min(\.year).get() == 1949)
            #expect(try all.max(\.title).get() == "The Third Man")
            #expect(try all.distinct(\.rating).get() == [.G, .PG])
            #expect(try all.distinct(\.year).get() == [nil, 1949, 1950])
            #expect(try all.count(by: \.rating).get() == [.G: 2, .PG: 1])
            #expect(try store.filter(where: \.rating == .G).sum(\.budget).get() == 14)
            #expect(try store.filter(where: \.id == 1).average(\.budget).get() == 5)
            let none = store.filter(where: \.id > 100)
            #expect(try none.sum(\.score).get() == 0)
            #expect(try none.average(\.score).get() == nil)
            #expect(try none.max(\.budget).get() == nil)
            #expect(try none.count(by: \.year).get() == [:])
        }
        try kind.run { try check($0) }
    }

    @Test("Only numbers have a sum and an average", arguments: StoreKind.allCases)
    func notNumbers(_ kind: StoreKind) throws {
        func check<S: TestedStore>(_ store: S) throws {
            try store.insert(.fixture(premiere: Date())).get()
            for attribute in [Attribute<Film>(\.title), Attribute(\.isColor), Attribute(\.premiere)] {
                for aggregate in [Aggregate(.sum, of: attribute), Aggregate(.average, of: attribute)] {
                    let error = #expect(throws: StoreError.self) {
                        try store.aggregate(aggregate, of: store.all()).get()
                    }
                    guard case .refused? = error else {
                        Issue.record("\(String(describing: error)) is another error")
                        continue
                    }
                }
            }
        }
        try kind.run { try check($0) }
    }

    @Test("A sum that does not fit fails, however its terms are ordered", arguments: StoreKind.allCases)
    func overflow(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            try store.insert([.fixture(id: 1, budget: .max), .fixture(id: 2, budget: 1)]).get()
            #expect(throws: StoreError.self) { try store.all().sum(\.budget).get() }
            try store.insert(.fixture(id: 3, budget: -1)).get()
            #expect(try store.all().sum(\.budget).get() == .max)
        }
        try kind.run { try check($0) }
    }

    @Test("A sum of numbers is rounded once, whatever their size and order", arguments: StoreKind.allCases)
    func exactSums(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            func sum(_ scores: [Double]) throws -> Double {
                try store.delete(where: .always).get()
                try store.insert(scores.enumerated().map { .fixture(id: $0, score: $1) }).get()
                return try store.all().sum(\.score).get()
            }
            let (unit, least) = (1.0, Double.leastNonzeroMagnitude)
            let half = unit.ulp / 2
            let greatest = Double.greatestFiniteMagnitude
            #expect(try sum([unit, half, least]) == unit.nextUp)
            #expect(try sum([unit, half]) == unit)
            #expect(try sum([-unit, -half, -least]) == -unit.nextUp)
            #expect(try sum([unit.nextUp, half]) == unit.nextUp.nextUp)
            #expect(try sum([greatest, greatest, 1, -greatest, -greatest]) == 1)
            #expect(try sum([greatest, greatest]) == .infinity)
            #expect(try sum([least, least, -least]) == least)
            let longest = least * 0x1p53
            #expect(try sum([longest, least * 3]) == longest + least * 3)
            #expect(try sum([.infinity, 1]) == .infinity)
            #expect(try sum([.infinity, -.infinity]).isNaN)
            var numbers = SeededNumbers(seed: 5)
            func number() -> Double {
                let number = Double(bitPattern: .random(in: .min ... .max, using: &numbers))
                return number.isFinite ? number / 4 : 0
            }
            for _ in 0..<40 {
                // The sum of two is what the processor rounds.
                let (first, second) = (number(), number())
                #expect(try sum([first, second]) == first + second)
                let near = first * Double.random(in: -2...2, using: &numbers)
                #expect(try sum([first, near]) == first + near)
                let others = (0..<20).map { _ in number() }
                #expect(try sum((others + others.map(-) + [first]).shuffled(using: &numbers)) == first)
            }
        }
        try kind.run { try check($0) }
    }

    @Test("Random aggregates agree on every store", .onOwnThread)
    func agreement() throws {
        var random = RandomFilms(seed: 21)
        let films = random.films(200)
        let memory = MemoryStore(Film.schema)
        let sqlite = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        for store in [AnyStore(memory), AnyStore(sqlite)] { try store.insert(films).get() }
        for round in 0..<400 {
            let query = random.query(for: memory)
            let attribute = random.pick(Film.schema.columns).attribute
            for kind in [Aggregate<Film>.Kind.minimum, .maximum, .distinct, .counts] + sums(attribute) {
                let aggregate = Aggregate(kind, of: attribute)
                let plain = Result { () throws(StoreError) in
                    try aggregate.rows(of: films.filter(try query.condition.compiled()))
                }
                let memoryRows = rows(memory.aggregate(aggregate, of: query))
                let rows = rows(sqlite.aggregate(aggregate, of: query.asked(of: sqlite)))
                #expect(memoryRows == plain, "memory differs in round \(round)")
                #expect(rows == plain, "SQLite differs in round \(round): \(kind) of \(attribute) for \(query)")
            }
        }
    }

    private func sums(_ attribute: Attribute<Film>) -> [Aggregate<Film>.Kind] {
        [.integer, .unsigned, .real].contains(attribute.kind) ? [.sum, .average] : []
    }

    private func rows(
        _ producer: SignalProducer<[[PrimitiveValue]], StoreError>
    ) -> Result<[[PrimitiveValue]], StoreError> {
        Result { () throws(StoreError) in try producer.values()[0] }
    }
}

@Suite("Merging, and changing by condition")
struct MergeTests {
    @Test("A merge inserts, updates and deletes, and says what it did", arguments: StoreKind.allCases)
    func merging(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            try store.insert([
                .fixture(id: 1), .fixture(id: 2, title: "old"), .fixture(id: 3), .fixture(id: 4, budget: 0),
            ]).get()
            let (emissions, disposable) = store.all().observe().map { $0.map(\.id) }.collecting()
            let merged = [Film.fixture(id: 5), .fixture(id: 2, title: "new"), .fixture(id: 1), .fixture(id: 4)]
            let result = try store.merge(merged, where: \.budget > 0).get()
            #expect(
                result
                    == MergeResult(
                        inserted: [merged[0]], updated: [merged[1], merged[3]], deleted: [.fixture(id: 3)]))
            #expect(try store.all().result().get() == [merged[2], merged[1], merged[3], merged[0]])
            #expect(emissions.all == [[1, 2, 3, 4], [1, 2, 4, 5]])
            #expect(try store.merge(merged, where: \.budget > 0).get().isEmpty)
            #expect(emissions.all.count == 2)
            #expect(throws: StoreError.duplicate(id: "1")) {
                try store.merge([.fixture(id: 1), .fixture(id: 1)]).get()
            }
            #expect(try store.merge([]).get().deleted.count == 4)
            disposable.dispose()
        }
        try kind.run { try check($0) }
    }

    @Test("The result of a merge that changed nothing is empty, and no other")
    func emptyResults() {
        #expect(MergeResult<Int>().isEmpty)
        for result in [MergeResult(inserted: [1]), MergeResult(updated: [1]), MergeResult(deleted: [1])] {
            #expect(!result.isEmpty)
        }
    }

    @Test(
        "A merge of many objects takes a time that grows with their number", .onOwnThread, arguments: StoreKind.allCases
    )
    func linear(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            let films = (0..<10_000).map { Film.fixture(id: $0) }
            try store.insert(films).get()
            let result = try store.merge(
                films.dropFirst(10) + (10_000..<10_010).map { .fixture(id: $0) }, where: \.budget > 0
            ).get()
            #expect(result.inserted.count == 10 && result.deleted.count == 10 && result.updated.isEmpty)
        }
        try kind.run { try check($0) }
    }

    @Test("Properties are set by condition, and ids deleted", arguments: StoreKind.allCases)
    func updating(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            try store.insert((1...6).map { .fixture(id: $0, budget: $0) }).get()
            #expect(try store.update(where: \.budget > 4, set: .value(\.rating, .R), .value(\.year, nil)).get() == 2)
            #expect(try store.filter(where: \.rating == .R && \.year == nil).count().get() == 2)
            let (emissions, disposable) = store.filter(where: \.title == "x").observe().map(\.count).collecting()
            #expect(try store.update(where: \.budget < 3, set: .value(\.title, "x")).get() == 2)
            #expect(emissions.all == [0, 2])
            #expect(throws: StoreError.self) { try store.update(where: \.id == 1, set: .value(\.id, 9)).get() }
            #expect(try store.delete(ids: [1, 2, 99]).get() == 2)
            #expect(try store.all().result().get().map(\.id) == [3, 4, 5, 6])
            #expect(try store.update(where: .always).get() == 4)
            disposable.dispose()
        }
        try kind.run { try check($0) }
    }

    @Test("Ids are generated", arguments: StoreKind.allCases)
    func generatedIDs(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            for id in 1...300 { #expect(try store.insert { .fixture(id: $0, title: "\(id)") }.get().id == id) }
            try store.delete(ids: [300]).get()
            #expect(try store.insert { .fixture(id: $0) }.get().id == 300)
            #expect(
                try store.sorted(by: \.id, inOrder: .descending).page(limit: 2, offset: 1).result().get().map(\.id)
                    == [299, 298])
            try store.insert(.fixture(id: .max)).get()
            #expect(throws: StoreError.self) { try store.insert { .fixture(id: $0) }.get() }
        }
        try kind.run { try check($0) }
    }

    @Test("Only a number depends on the largest id that is stored")
    func nextIDs() {
        #expect(Int.followsLast && Int.next(after: nil) == 1 && Int.next(after: 7) == 8)
        #expect(Int32.next(after: .max) == nil)
        #expect(!UUID.followsLast && UUID.next(after: nil) != UUID.next(after: nil))
    }

    @Test("A store of four functions merges and aggregates too")
    func defaults() async throws {
        let store = AnyStore(FourFunctions())
        try await store.insert([.fixture(id: 1), .fixture(id: 2)])
        let result = try await store.merge([.fixture(id: 2), .fixture(id: 3)])
        #expect(result == MergeResult(inserted: [.fixture(id: 3)], deleted: [.fixture(id: 1)]))
        #expect(try await store.update(where: \.id == 3, set: .value(\.budget, 1)) == 1)
        #expect(try await store.filter(where: .always).sum(\.budget) == 1_000_001)
        #expect(try await store.all().count(by: \.rating) == [.PG: 2])
        #expect(try await store.delete(ids: [2, 3]) == 2)
    }
}

private struct FourFunctions: Store {
    private let films = MemoryStore(id: \Film.id)

    func insert(_ film: Film) -> SignalProducer<Film, StoreError> { films.insert(film) }

    func update(_ film: Film) -> SignalProducer<Film, StoreError> { films.update(film) }

    func delete(_ film: Film) -> SignalProducer<Never, StoreError> { films.delete(film) }

    func execute(_ query: Query<FourFunctions>) -> SignalProducer<[Film], StoreError> {
        query.asked(of: films).result()
    }
}
