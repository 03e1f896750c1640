import Feedback
import FeedbackTesting
import Persistence
import Synchronization
import Testing

@Suite("Concurrency")
struct ConcurrencyTests {
    @Test("Eight readers and a writer at once: each reader sees whole transactions only", .onOwnThread)
    func readersAndWriter() throws {
        let folder = try TemporaryFolder()
        try check(SQLiteStore(Film.schema, at: folder.path("films.sqlite")))
        try check(SQLiteStore(Film.schema, in: SQLiteDatabase(.memory)))
        try check(MemoryStore(Film.schema))
    }

    private func check(_ store: some TestedStore) throws {
        // The sum of the budgets is the same after each transaction.
        let films = (0..<40).map { Film.fixture(id: $0, budget: 100) }
        try store.insert(films).get()
        let isDone = Atomic(false)
        let failures = Emissions<String>()
        let (sums, observation) = store.all().observe().map { $0.reduce(0) { $0 + $1.budget } }.collecting()
        onThreadsBlocking(9) { worker in
            if worker == 0 {
                for step in 0..<100 {
                    let (from, to) = (step * 7 % 40, (step * 11 + 1) % 40)
                    store.transaction { transaction throws(StoreError) in
                        guard from != to, var giver = try transaction.object(withId: from),
                            var taker = try transaction.object(withId: to)
                        else { return }
                        giver.budget -= step
                        taker.budget += step
                        try transaction.update([giver])
                        try transaction.update([taker])
                    }.startWithFailed { failures.append("\($0)") }
                }
                isDone.store(true, ordering: .releasing)
            } else {
                repeat {
                    store.all().result().startWithResult { result in
                        switch result {
                        case .success(let films):
                            let sum = films.reduce(0) { $0 + $1.budget }
                            if sum != 4000 || films.count != 40 {
                                failures.append("\(films.count) films, \(sum) in all")
                            }
                        case .failure(let error): failures.append("\(error)")
                        }
                    }
                    store.filter(where: \.id == worker).count().startWithFailed { failures.append("\($0)") }
                } while !isDone.load(ordering: .acquiring)
            }
        }
        #expect(failures.all == [])
        #expect(sums.all.allSatisfy { $0 == 4000 })
        observation.dispose()
    }

    @Test("Observations begin and end while others write", arguments: StoreKind.allCases)
    func observationsComeAndGo(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            let emissions = Emissions<Int>()
            onThreadsBlocking(6) { worker in
                for step in 0..<40 {
                    if worker < 2 {
                        store.insert(.fixture(id: worker * 1000 + step)).start()
                    } else {
                        let disposable = store.all().observe().startWithResult { result in
                            if case .success(let films) = result { emissions.append(films.count) }
                        }
                        disposable.dispose()
                    }
                }
            }
            #expect(try store.all().count().get() == 80)
            #expect(emissions.all.allSatisfy { (0...80).contains($0) })
        }
        try kind.run { try check($0) }
    }
}
