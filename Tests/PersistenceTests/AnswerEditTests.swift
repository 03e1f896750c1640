import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Synchronization
import Testing

@testable import Persistence

/// A write to a few objects changes the answers that observers were told, without a request for all objects.
@Suite("Answers that are changed by a write", .onOwnThread)
struct AnswerEditTests {
    /// The number of random writes; `PERSISTENCE_WRITES` changes it.
    static let writes = ProcessInfo.processInfo.environment["PERSISTENCE_WRITES"].flatMap(Int.init) ?? 80

    // MARK: - The first answer

    @Test("A write does not tell the first answer of an observer that another thread is about to start")
    func firstAnswer() throws {
        let query = try ObservedQuery(Question<Film>(), table: "films", id: .id, areSame: ==) { [.fixture(id: 1)] }
        let told = Emissions<Int>()
        let mayBlock = Locked(false)
        let (isBusy, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let observation = Observation { _ in
            told.append(told.all.count)
            guard mayBlock.withLock(\.self) else { return }
            isBusy.signal()
            mayGoOn.wait()
        }
        func write() {
            query.invalidate()
            query.tell()
        }
        query.add(observation)
        write()
        try #require(told.all == [])
        mayBlock.withLock { $0 = true }
        let start = DispatchGroup()
        DispatchQueue.global().async(group: start) { observation.start(of: query) }
        isBusy.wait()
        // The observer is busy until this write has ended.
        write()
        mayGoOn.signal()
        start.wait()
        #expect(told.all == [0])
        observation.end()
    }

    // MARK: - Any writes

    @Test(
        "After each of many random writes, observers of random queries were told what the store answers",
        arguments: StoreKind.allCases, 1...2 as ClosedRange<UInt64>)
    func randomWrites(_ kind: StoreKind, seed: UInt64) throws {
        try kind.run { try checkRandomWrites(to: $0, seed: seed) }
    }

    private func checkRandomWrites(to store: some TestedStore, seed: UInt64) throws {
        var random = RandomFilms(seed: seed)
        try store.insert(random.films(60)).get()
        let observations = (0..<30).map { _ in Observed(random.query(for: store, depth: 2)) }
        for number in 0..<Self.writes / 2 {
            let write = perform(random.write(), on: store, &random)
            for observation in observations {
                let isTold = try observation.isTold
                #expect(isTold, "after write \(number), \(write), of \(observation.query)")
            }
        }
        let changes = observations.map(\.emissions.all.count).max()
        #expect(try #require(changes) > Self.writes / 10, "the writes hardly changed an answer")
    }

    /// Does one random write; returns its description.
    private func perform<S: TestedStore>(_ write: RandomWrite, on store: S, _ random: inout RandomFilms) -> String {
        let few = (0..<Int.random(in: 1...4, using: &random)).map { _ in random.object() }
        let condition = random.condition(depth: 1)
        let isUndone = random.chance(30)
        switch write {
        case .insert: store.insert(few).start()
        case .upsert: store.upsert(few[0]).start()
        case .upsertMany: store.upsert((0..<50).map { _ in random.object() }).start()
        case .delete: store.delete(few).start()
        case .updateWhere: store.update(where: condition && \.id < 100, set: [.value(\.budget, few[0].budget)]).start()
        case .deleteWhere: store.delete(where: condition && \.id < 20).start()
        case .merge: store.merge(few, where: \.id > 500).start()
        case .transaction:
            store.transaction { films throws(StoreError) in
                try films.upsert(few)
                // Of a batch that fails, nothing is kept, but the transaction goes on.
                try? films.insert([.fixture(id: 900), few[0]])
                try films.delete(ids: [few[0].id])
                if isUndone { throw .rolledBack(reason: "") }
            }.start()
        }
        return "\(write)"
    }

    @Test("A write to a few objects asks the store only if it alone knows the new answer")
    func requests() throws {
        let films = Locked((0..<10).map { Film.fixture(id: $0) })
        let asked = Atomic(0)
        var question = Question<Film>(condition: \.budget > 0)
        question.limit = 3
        let query = try ObservedQuery(question, table: "films", id: .id, areSame: ==, isEditable: true) {
            asked.add(1, ordering: .relaxed)
            return Array(films.withLock { $0.filter { $0.budget > 0 }.prefix(3) })
        }
        let told = Emissions<[Int]>()
        let observation = Observation { result in
            guard case .success(let answer) = result, let films = answer as? ObservedObjects<Film> else {
                return
            }
            told.append(films.all.map(\.id))
        }
        query.add(observation)
        observation.start(of: query)

        func write(_ film: Film, isDeleted: Bool = false) {
            films.withLock { films in
                films.removeAll { $0.id == film.id }
                if !isDeleted { films.insert(film, at: films.firstIndex { $0.id > film.id } ?? films.count) }
            }
            let edit = TableEdit(
                touched: ObservedObjects([film]), present: ObservedObjects(isDeleted ? [] : [film]))
            query.willCommit()
            query.apply(edit)
            query.tell()
        }
        write(.fixture(id: 1, title: "new"))
        write(.fixture(id: -1))  // comes in, so that one goes out
        write(.fixture(id: 7, budget: 7))  // comes after the page
        write(.fixture(id: 1, title: "newer"))  // stays the last of the page
        #expect(asked.load(ordering: .relaxed) == 1)
        write(.fixture(id: 0, budget: 0))  // goes out, so that another one comes in
        #expect(asked.load(ordering: .relaxed) == 2)
        write(.fixture(id: 5), isDeleted: true)
        #expect(asked.load(ordering: .relaxed) == 2)
        query.noteOtherWriters()
        write(.fixture(id: 2, title: "new"))
        #expect(asked.load(ordering: .relaxed) == 3)
        #expect(told.all == [[0, 1, 2], [0, 1, 2], [-1, 0, 1], [-1, 0, 1], [-1, 1, 2], [-1, 1, 2]])
        observation.end()
    }

    @Test(
        "A change is not made to an answer that was read while it was committed: that may have newer changes",
        arguments: [false, true])
    func answersReadMeanwhile(_ beginsBefore: Bool) throws {
        let films = Locked([Film.fixture(id: 1, budget: 0)])
        let whileReading = Locked<(@Sendable () -> Void)?>(nil)
        let query = try ObservedQuery(Question<Film>(), table: "films", id: .id, areSame: ==, isEditable: true) {
            whileReading.withLock { $0.take() }?()
            return films.withLock { $0 }
        }
        let told = Emissions<[Int]>()
        func observe() -> Observation {
            let observation = Observation { result in
                guard case .success(let answer) = result, let films = answer as? ObservedObjects<Film> else {
                    return
                }
                told.append(films.all.map(\.budget))
            }
            query.add(observation)
            return observation
        }
        let observations = [observe(), observe()]
        for observation in observations { observation.start(of: query) }
        let film = Film.fixture(id: 1, budget: 1)
        let edit = TableEdit(touched: ObservedObjects([film]), present: ObservedObjects([film]))
        // This process commits 1, and then another process commits 2, before the observers are told of either.
        if beginsBefore {
            whileReading.withLock { action in
                action = {
                    query.willCommit()
                    films.withLock { $0 = [.fixture(id: 1, budget: 2)] }
                }
            }
        } else {
            query.willCommit()
            films.withLock { $0 = [.fixture(id: 1, budget: 2)] }
        }
        query.invalidate()
        observations[0].change(of: query)
        query.apply(edit)
        query.tell()
        #expect(told.all == [[0], [0], [2], [2]])
        for observation in observations { observation.end() }
    }

    @Test("A write to an observed SQLite store reads the changed object again, and no others")
    func reads() throws {
        let database = try SQLiteDatabase(.memory)
        let goods = try SQLiteStore(Good.schema, in: database)
        try goods.insert((0..<100).map { Good(id: $0, price: Price(rawValue: $0)) }).get()
        let told = Observed(goods.all())
        try goods.upsert(Good(id: 0, price: Price(rawValue: 1_000))).get()
        let before = Price.timesMade(0..<10_000)
        try goods.upsert(Good(id: 1, price: Price(rawValue: 1_001))).get()
        try goods.delete(Good(id: 2, price: Price(rawValue: 2))).run()
        #expect(Price.timesMade(0..<10_000) - before < 20)
        #expect(told.emissions.all.map { $0.prefix(3).map(\.id) } == [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 3]])
    }
}

private enum RandomWrite: CaseIterable {
    case insert, upsert, upsertMany, delete, updateWhere, deleteWhere, merge, transaction
}

extension RandomFilms {
    fileprivate mutating func write() -> RandomWrite { chance(40) ? .upsert : pick(RandomWrite.allCases) }
}
