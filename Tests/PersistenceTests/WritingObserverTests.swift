import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("Observers that write to the store")
struct WritingObserverTests {
    @Test("An observer may write to the store that told it", arguments: StoreKind.allCases)
    func writingObservers(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            let counts = Emissions<Int>()
            let disposable = store.all().observe().startWithResult { result in
                guard case .success(let films) = result else { return }
                counts.append(films.count)
                if films.count < 5 { store.insert(.fixture(id: films.count)).start() }
            }
            // On a busy machine the observer may be found slow, and is then told on a queue.
            awaitEmissions(counts) { $0 == [0, 1, 2, 3, 4, 5] }
            disposable.dispose()
        }
        try kind.run { try check($0) }
    }

    @Test(
        "Observers that write for each other are told in turn, to the end, and without recursion", .onOwnThread,
        arguments: StoreKind.allCases)
    func writingForEachOther(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            let rounds = 2_000
            try store.insert([.fixture(id: 1, budget: 0), .fixture(id: 2, budget: 0)]).get()
            // Each sets its film to the other's budget, and one of them adds one, so that it goes on.
            func follow(_ id: Int, _ other: Int, adding addend: Int) -> any Disposable {
                store.filter(where: \.id == other).observe().startWithResult { result in
                    guard case .success(let films) = result, let budget = films.first?.budget, budget < rounds else {
                        return
                    }
                    store.update(where: \.id == id, set: .value(\.budget, budget + addend)).start()
                }
            }
            let disposables = [follow(1, 2, adding: 1), follow(2, 1, adding: 0)]
            let (budgets, disposable) = store.all().observe().map { $0.map(\.budget) }.collecting()
            awaitEmissions(budgets) { $0.last == [rounds, rounds - 1] }
            disposable.dispose()
            for disposable in disposables { disposable.dispose() }
        }
        try kind.run { try check($0) }
    }

    @Test("An observer that writes what is there already is not told again", arguments: StoreKind.allCases)
    func writingTheSame(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            try store.insert(.fixture(id: 1, title: " a ")).get()
            let titles = Emissions<String>()
            let disposable = store.all().observe().startWithResult { result in
                guard case .success(let films) = result, let film = films.first else { return }
                titles.append(film.title)
                var trimmed = film
                trimmed.title = film.title.trimmingCharacters(in: .whitespaces)
                if titles.all.count < 100 { store.update(trimmed).start() }
            }
            awaitEmissions(titles) { $0 == [" a ", "a"] }
            try store.insert(.fixture(id: 2, title: "b")).get()
            awaitEmissions(titles) { $0 == [" a ", "a", "a"] }
            disposable.dispose()
        }
        try kind.run { try check($0) }
    }

    @Test("An observer that writes may end its own observation, and others", arguments: StoreKind.allCases)
    func endingInside(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            let counts = Emissions<Int>()
            let other = store.filter(where: \.budget > 0).observe().startWithResult { _ in }
            let own = Locked<(any Disposable)?>(nil)
            let disposable = store.all().observe().startWithResult { result in
                guard case .success(let films) = result else { return }
                if films.count > 0 {
                    other.dispose()
                    own.withLock { $0 }?.dispose()
                    store.insert(.fixture(id: 2)).start()
                }
                counts.append(films.count)
            }
            own.withLock { $0 = disposable }
            try store.insert(.fixture(id: 1)).get()
            awaitEmissions(counts) { $0 == [0, 1] }
            try store.insert(.fixture(id: 3)).get()
            #expect(counts.all == [0, 1])
            #expect(try store.all().count().get() == 3)
        }
        try kind.run { try check($0) }
    }
}
