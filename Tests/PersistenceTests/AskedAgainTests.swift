import Feedback
import FeedbackTesting
import Persistence
import Testing

/// Prices count the rows that are read. Each test has prices of its own.
@Suite("Observed queries that a write asks again", .onOwnThread)
struct AskedAgainTests {
    /// A store of 1,000 goods with prices from `first` on.
    private func store(pricedFrom first: Int) throws -> SQLiteStore<Good> {
        let goods = try SQLiteStore(Good.schema, in: SQLiteDatabase(.memory))
        try goods.insert((0..<1_000).map { Good(id: $0, price: Price(rawValue: first + $0)) }).get()
        return goods
    }

    @Test("Of fifty pages, a write asks only the one that it can concern")
    func concerned() throws {
        let prices = 60_000..<61_000
        let goods = try store(pricedFrom: prices.lowerBound)
        // Observers of pages of 3 goods: from 0, from 20, and so on.
        let observed = (0..<50).map { page in
            Observed(goods.filter(where: \.id >= page * 20 && \.id < page * 20 + 20).sorted(by: \.id).page(limit: 3))
        }
        func rowsRead(by write: () throws -> Void) rethrows -> Int {
            let before = Price.timesMade(prices)
            try write()
            return Price.timesMade(prices) - before
        }
        // Behind a page.
        #expect(try rowsRead { try goods.update(Good(id: 999, price: Price(rawValue: 1))).get() } < 5)
        // On the first page, which then needs another good.
        #expect(try rowsRead { try goods.delete(ids: [0]).get() } < 10)
        // On the eleventh page.
        #expect(try rowsRead { try goods.update(Good(id: 200, price: Price(rawValue: 2))).get() } < 10)
        // Behind two pages, and too many for answers to be changed without being read: all fifty have 150 goods.
        let many = (500..<540).filter { $0 % 20 >= 3 }.map { Good(id: $0, price: Price(rawValue: 3)) }
        #expect(try rowsRead { try goods.update(many).get() } < 50)
        #expect(observed.map(\.emissions.all.count) == (0..<50).map { $0 == 0 || $0 == 10 ? 2 : 1 })
        #expect(observed[0].emissions.all.last?.map(\.id) == [1, 2, 3])
        #expect(observed[10].emissions.all.last?.map(\.price.rawValue) == [2, 60_201, 60_202])
    }

    @Test("Equal queries are read once for all their observers")
    func equal() throws {
        let prices = 62_000..<63_000
        let goods = try store(pricedFrom: prices.lowerBound)
        let atFirst = Price.timesMade(prices)
        let observed = (0..<10).map { _ in Observed(goods.sorted(by: \.id).page(limit: 3)) }
        #expect(Price.timesMade(prices) - atFirst == 3)
        let before = Price.timesMade(prices)
        try goods.delete(ids: [0]).get()
        #expect(Price.timesMade(prices) - before < 10)
        for one in observed { #expect(one.emissions.all.map { $0.map(\.id) } == [[0, 1, 2], [1, 2, 3]]) }
    }

    @Test("Objects that cannot be compared are told after each change of them, though it may change nothing")
    func incomparable() throws {
        struct Plain: Identifiable {
            let id: Int
        }
        let store = MemoryStore(id: \Plain.id)
        let observed = Observed(store.filter(where: \.id < 3))
        for id in [1, 1, 3] { try store.upsert(Plain(id: id)).get() }
        #expect(observed.emissions.all.map { $0.map(\.id) } == [[], [1], [1]])
    }

    @Test("The steps that a transaction has undone tell nothing")
    func undone() throws {
        // Two answers cannot be compared, so each one would be told.
        struct Plain: Identifiable {
            let id: Int
        }
        let store = MemoryStore(id: \Plain.id)
        let observed = Observed(store.filter(where: \.id < 3))
        func undo(_ step: @escaping @Sendable (MemoryTransaction<Plain>) throws(StoreError) -> Void) throws {
            try store.perform { plain throws(StoreError) in
                #expect(throws: StoreError.self) { try step(plain) }
                try plain.upsert([Plain(id: 9)])
            }
        }
        try undo { plain throws(StoreError) in try plain.insert([Plain(id: 1), Plain(id: 1)]) }
        try undo { plain throws(StoreError) in
            try plain.withSavepoint { () throws(StoreError) in
                try plain.insert([Plain(id: 1)])
                throw .rolledBack(reason: "no")
            }
        }
        #expect(observed.emissions.all.map { $0.map(\.id) } == [[]])
        #expect(try store.all().result().get().map(\.id) == [9])
    }

    @Test("A write tests no object for an observer that has ended")
    func ended() throws {
        let readings = MutableProperty(0)
        struct Counted: Identifiable {
            let id: Int
            let readings: MutableProperty<Int>
            var rank: Int {
                readings.value += 1
                return id
            }
        }
        let store = MemoryStore(id: \Counted.id)
        let (emissions, disposable) = store.filter(where: \.rank < 3).observe().collecting()
        try store.insert(Counted(id: 1, readings: readings)).get()
        #expect(emissions.all.map(\.count) == [0, 1])
        #expect(readings.value > 0)
        disposable.dispose()
        let before = readings.value
        try store.insert(Counted(id: 2, readings: readings)).get()
        #expect(readings.value == before)
    }
}
