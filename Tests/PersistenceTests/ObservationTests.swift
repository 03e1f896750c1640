import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

/// The values that an observation has emitted.
final class Emissions<Value: Sendable>: Sendable {
    private let values = Locked<[Value]>([])

    var all: [Value] { values.withLock { $0 } }

    func append(_ value: Value) { values.withLock { $0.append(value) } }
}

extension SignalProducer {
    /// Starts, and collects what is emitted.
    func collecting() -> (emissions: Emissions<Value>, disposable: any Disposable) {
        let emissions = Emissions<Value>()
        return (emissions, startWithResult { if case .success(let value) = $0 { emissions.append(value) } })
    }
}

/// Waits until what an observation has emitted meets a condition; records an issue if it does not within a minute.
func awaitEmissions<Value>(
    _ emissions: Emissions<Value>, sourceLocation: SourceLocation = #_sourceLocation, _ isMet: ([Value]) -> Bool
) {
    let start = ContinuousClock.now
    while !isMet(emissions.all) {
        if ContinuousClock.now - start > .seconds(60) {
            Issue.record("the emissions never met the condition", sourceLocation: sourceLocation)
            return
        }
        usleep(1_000)
    }
}

@Suite("Observation")
struct ObservationTests {
    @Test(
        "It emits the answer, then again after writes that could change it, and not after others",
        arguments: StoreKind.allCases)
    func relevantWrites(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            try store.insert(.fixture(id: 1, budget: 10)).get()
            let (emissions, disposable) = store.filter(where: \.budget < 100).observe().map { $0.map(\.id) }
                .collecting()
            #expect(emissions.all == [[1]])
            try store.insert(.fixture(id: 2, budget: 1000)).get()  // not in the answer
            try store.update(.fixture(id: 2, budget: 2000)).get()  // neither before nor after
            try store.delete(where: \.budget == 2000).get()
            #expect(emissions.all == [[1]])
            try store.insert([.fixture(id: 3, budget: 5), .fixture(id: 4, budget: 500)]).get()
            try store.update(.fixture(id: 4, budget: 50)).get()  // comes in
            try store.upsert(.fixture(id: 1, budget: 101)).get()  // goes out
            try store.upsert(.fixture(id: 1, budget: 99)).get()  // comes in
            try store.delete(.fixture(id: 3)).run()
            try store.delete(where: \.id == 4).get()
            #expect(emissions.all == [[1], [1, 3], [1, 3, 4], [3, 4], [1, 3, 4], [1, 4], [1]])
            disposable.dispose()
            try store.insert(.fixture(id: 9, budget: 1)).get()
            #expect(emissions.all.count == 7)
        }
        try kind.run { try check($0) }
    }

    @Test("A transaction is told once, and one that fails is not", arguments: StoreKind.allCases)
    func transactions(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            let (emissions, disposable) = store.all().observe().map(\.count).collecting()
            try store.transaction { films throws(StoreError) in
                for id in 0..<5 { try films.insert([.fixture(id: id)]) }
            }.get()
            _ = try? store.transaction { films throws(StoreError) in
                try films.insert([.fixture(id: 7)])
                throw .rolledBack(reason: "")
            }.get()
            _ = try? store.insert([.fixture(id: 8), .fixture(id: 8)]).get()
            try store.insert(.fixture(id: 9)).get()
            #expect(emissions.all == [0, 5, 6])
            disposable.dispose()
        }
        try kind.run { try check($0) }
    }

    @Test("A page is told with its order and limit", arguments: StoreKind.allCases)
    func pages(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            let query = store.sorted(by: \.budget, inOrder: .descending).page(limit: 2)
            let (emissions, disposable) = query.observe().map { $0.map(\.id) }.collecting()
            for id in 1...3 { try store.insert(.fixture(id: id, budget: id)).get() }
            #expect(emissions.all == [[], [1], [2, 1], [3, 2]])
            disposable.dispose()
        }
        try kind.run { try check($0) }
    }

    @Test("With many writers it keeps their order, and the last answer is told", arguments: StoreKind.allCases)
    func manyWriters(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            let writers = 4
            let each = 60
            let (emissions, disposable) = store.all().observe().map(\.count).collecting()
            onThreadsBlocking(writers) { writer in
                for number in 0..<each { store.insert(.fixture(id: writer * each + number)).start() }
            }
            awaitEmissions(emissions) { $0.last == writers * each }
            #expect(zip(emissions.all, emissions.all.dropFirst()).allSatisfy { $0 < $1 })
            disposable.dispose()
        }
        try kind.run { try check($0) }
    }

    @Test("An answer that has not changed is not told again", arguments: StoreKind.allCases)
    func unchanged(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            try store.insert([.fixture(id: 1, score: .nan), .fixture(id: 2)]).get()
            let (emissions, disposable) = store.sorted(by: \.id).page(limit: 1, offset: 0).observe().collecting()
            try store.upsert(.fixture(id: 2, title: "behind the page")).get()
            try store.insert(.fixture(id: 3)).get()
            try store.transaction { films throws(StoreError) in
                try films.delete([.fixture(id: 1)])
                try films.insert([.fixture(id: 1, score: .nan)])
            }.get()
            #expect(emissions.all.count == 1)
            #expect(try store.merge([.fixture(id: 1, score: .nan)], where: \.id == 1).get().isEmpty)
            try store.delete(ids: [1]).get()
            #expect(emissions.all.last?.map(\.id) == [2])
            disposable.dispose()
        }
        try kind.run { try check($0) }
    }

    @Test("An unchanged answer is not told again, also if the objects are not Equatable")
    func unchangedWithoutEquatable() throws {
        struct Plain: Identifiable, Sendable {
            var id: Int
            var text: String

            static let schema = Schema<Plain>("plain", Plain.init, Column("id", \.id), Column("text", \.text))
        }
        func check(_ store: some ObservableStore<Plain>) throws {
            try store.insert([Plain(id: 1, text: "a"), Plain(id: 2, text: "b")]).get()
            let (texts, disposable) = store.all().observe().map { $0.map(\.text) }.collecting()
            try store.update(Plain(id: 1, text: "a")).get()
            try store.upsert([Plain(id: 2, text: "b"), Plain(id: 1, text: "a")]).get()
            try store.update(Plain(id: 1, text: "c")).get()
            #expect(texts.all == [["a", "b"], ["c", "b"]])
            disposable.dispose()
        }
        try check(MemoryStore(Plain.schema))
        try check(SQLiteStore(Plain.schema, in: SQLiteDatabase(.memory)))
    }

    @Test(
        "Inside a transaction a query that is observed already is told its answer, and any other fails with a reason",
        arguments: StoreKind.allCases)
    func insideTransaction(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            try store.insert(.fixture(id: 1)).get()
            let (_, disposable) = store.all().observe().collecting()
            let counts = Emissions<Int>()
            let errors = Emissions<StoreError>()
            try store.transaction { films throws(StoreError) in
                try films.insert([.fixture(id: 2)])
                for query in [store.all(), store.filter(where: \.id == 2)] {
                    query.observe().take(first: 1).startWithResult { result in
                        switch result {
                        case .success(let films): counts.append(films.count)
                        case .failure(let error): errors.append(error)
                        }
                    }
                }
            }.get()
            #expect(counts.all == [1])
            #expect(errors.all == [.insideTransaction])
            disposable.dispose()
        }
        try kind.run { try check($0) }
    }

    @Test(
        "A second observation begins inside of an observer, which may wait for its first answer", .onOwnThread,
        .timeLimit(.minutes(10)), arguments: StoreKind.allCases)
    func observingInside(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            let counts = Emissions<Int>()
            let disposable = store.all().observe().startWithResult { _ in
                if let films = try? store.filter(where: \.budget > 0).observe().first()?.get() {
                    counts.append(films.count)
                }
            }
            try store.insert(.fixture(id: 1)).get()
            #expect(counts.all == [0, 1])
            disposable.dispose()
        }
        try kind.run { try check($0) }
    }

    @Test("A page in memory is told with the changes that reach it, and not with others")
    func changesOfPage() throws {
        let store = MemoryStore(Film.schema)
        try store.insert((0..<20).map { .fixture(id: $0, budget: $0) }).get()
        let (emissions, disposable) = store.sorted(by: \.budget).page(limit: 3).observe().map { $0.map(\.budget) }
            .collecting()
        try store.upsert(.fixture(id: 10, budget: 11)).get()
        try store.delete(ids: [15, 2]).get()
        try store.insert(.fixture(id: 30, budget: -1)).get()
        #expect(emissions.all == [[0, 1, 2], [0, 1, 3], [-1, 0, 1]])
        disposable.dispose()
    }

    @Test(
        "A slow observer holds up no writer but the first, and is told the last answer", .onOwnThread,
        arguments: StoreKind.allCases)
    func slowObserver(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            let isTold = DispatchSemaphore(value: 0)
            let counts = Emissions<Int>()
            let disposable = store.all().observe().map(\.count).startWithResult { result in
                guard case .success(let count) = result else { return }
                counts.append(count)
                // This thread delivers the first answer; all others wait until the writers are done.
                if count > 0 {
                    isTold.wait()
                    isTold.signal()
                } else {
                    Thread.sleep(forTimeInterval: 0.06)
                }
            }
            // If the observer held one of these up, the test would never end.
            onThreadsBlocking(4) { writer in
                for number in 0..<100 { store.insert(.fixture(id: writer * 1000 + number)).start() }
            }
            #expect(counts.all.count <= 2)
            isTold.signal()
            awaitEmissions(counts) { $0.last == 400 }
            #expect(counts.all.count <= 3)
            disposable.dispose()
        }
        try kind.run { try check($0) }
    }

    @Test("Writes of a statement of SQL are told")
    func rawWrites() throws {
        let database = try SQLiteDatabase(.memory)
        let films = try SQLiteStore(Film.schema, in: database)
        try films.insert(.fixture(id: 1, title: "a")).get()
        let (emissions, disposable) = films.all().observe().map { $0.map(\.title) }.collecting()
        let title = "b'; DROP TABLE films; --"
        #expect(try database.execute("UPDATE films SET title = \(title) WHERE id = \(1)") == 1)
        #expect(emissions.all == [["a"], [title]])
        disposable.dispose()
    }

    @Test("A row that cannot be read can be overwritten while it is observed")
    func unreadable() throws {
        let database = try SQLiteDatabase(.memory)
        let films = try SQLiteStore(Film.schema, in: database)
        try films.insert([.fixture(id: 1), .fixture(id: 2)]).get()
        let (emissions, disposable) = films.filter(where: \.id == 2).observe().collecting()
        try database.execute("UPDATE films SET rating = 'XXX' WHERE id = 1")
        try films.upsert(.fixture(id: 1, title: "x")).get()
        #expect(try films.object(withId: 1).get()?.title == "x")
        #expect(emissions.all.count == 1)
        disposable.dispose()
    }

    @Test("Stores of one table in one database are told of each other's writes")
    func otherStores() throws {
        let database = try SQLiteDatabase(.memory)
        let films = try SQLiteStore(Film.schema, in: database)
        let others = try SQLiteStore(Film.schema, in: database)
        let notes = try SQLiteStore(Note.schema, in: database)
        let (emissions, disposable) = films.all().observe().map(\.count).collecting()
        try others.insert(.fixture(id: 1)).get()
        try notes.insert(Note(id: "a", text: "b")).get()
        #expect(emissions.all == [0, 1])
        disposable.dispose()
    }

    @Test("Observers of a store that is released are interrupted", arguments: StoreKind.allCases)
    func goneIsGone(_ kind: StoreKind) throws {
        let interruptions = Emissions<Bool>()
        try kind.run { store in
            func observe(_ store: some TestedStore) {
                store.all().observe().startWithInterrupted { interruptions.append(true) }
            }
            observe(store)
            #expect(interruptions.all == [])
        }
        #expect(interruptions.all == [true])
    }
}
