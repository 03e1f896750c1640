import Feedback
import Foundation
import Persistence
import Testing

/// A store that anyone could write: an array, and all else that is public.
private final class ArrayStore: Store {
    private let films = Locked<[Film]>([])

    func insert(_ film: Film) -> SignalProducer<Film, StoreError> {
        SignalProducer { [self] () -> Result<Film, StoreError> in
            films.withLock { films in
                guard !films.contains(where: { $0.id == film.id }) else {
                    return .failure(.duplicate(id: "\(film.id)"))
                }
                films.append(film)
                return .success(film)
            }
        }
    }

    func update(_ film: Film) -> SignalProducer<Film, StoreError> {
        SignalProducer { [self] () -> Result<Film, StoreError> in
            films.withLock { films in
                guard let index = films.firstIndex(where: { $0.id == film.id }) else {
                    return .failure(.missing(id: "\(film.id)"))
                }
                films[index] = film
                return .success(film)
            }
        }
    }

    func delete(_ film: Film) -> SignalProducer<Never, StoreError> {
        SignalProducer { [self] observer, _ in
            films.withLock { $0.removeAll { $0.id == film.id } }
            observer.sendCompleted()
        }
    }

    func execute(_ query: Query<ArrayStore>) -> SignalProducer<[Film], StoreError> {
        SignalProducer { [self] in
            let films = films.withLock { $0 }
            return Result { () throws(StoreError) in try query.answer(from: films) }
        }
    }
}

/// A store of three functions, and a transaction, in front of another store.
private final class WrappingStore: SynchronousStore {
    typealias Object = Film

    struct Transaction: StoreTransaction {
        typealias S = WrappingStore

        let base: MemoryTransaction<Film>
        let store: MemoryStore<Film>

        func insert(_ films: [Film]) throws(StoreError) { try base.insert(films) }
        func update(_ films: [Film]) throws(StoreError) { try base.update(films) }
        func upsert(_ films: [Film]) throws(StoreError) { try base.upsert(films) }
        func delete(ids: [Int]) throws(StoreError) -> Int { try base.delete(ids: ids) }
        func delete(where condition: Condition<Film>) throws(StoreError) -> Int { try base.delete(where: condition) }
        func update(where condition: Condition<Film>, set assignments: [Assignment<Film>]) throws(StoreError) -> Int {
            try base.update(where: condition, set: assignments)
        }
        func merge(_ films: [Film], where condition: Condition<Film>) throws(StoreError) -> MergeResult<Film> {
            try base.merge(films, where: condition)
        }
        func withSavepoint<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
            try base.withSavepoint(body)
        }
        func object(withId id: Int) throws(StoreError) -> Film? { try base.object(withId: id) }
        func execute(_ query: Query<S>) throws(StoreError) -> [Film] { try base.execute(query.asked(of: store)) }
    }

    private let store = MemoryStore(Film.schema)

    func perform<Value: Sendable>(_ body: (Transaction) throws(StoreError) -> Value) throws(StoreError) -> Value {
        try store.perform { base throws(StoreError) in try body(Transaction(base: base, store: store)) }
    }

    func answer(_ query: Query<WrappingStore>) throws(StoreError) -> [Film] { try store.answer(query.asked(of: store)) }

    func observe(_ query: Query<WrappingStore>) -> SignalProducer<[Film], StoreError> {
        store.observe(query.asked(of: store))
    }
}

@Suite("A store written by a user")
struct CustomStoreTests {
    @Test("A synchronous store of three functions does all that a store does")
    func synchronous() throws {
        var random = RandomFilms(seed: 6)
        let films = random.films(60)
        let custom = WrappingStore()
        let memory = MemoryStore(Film.schema)
        try custom.insert(films).get()
        try memory.insert(films).get()
        for _ in 0..<100 {
            let query = random.query(for: memory)
            let own = query.asked(of: custom)
            #expect(try own.result().get().map(\.id) == query.result().get().map(\.id), "\(query)")
            #expect(try own.count().get() == query.count().get(), "\(query)")
            #expect(try own.max(\.votes).get() == query.max(\.votes).get(), "\(query)")
            let inside = try custom.transaction { films throws(StoreError) in
                (try films.count(own), try films.aggregate(Aggregate(.counts, of: Attribute(\.rating)), of: own))
            }.get()
            #expect(try inside.0 == query.count().get(), "\(query)")
            #expect(
                try inside.1 == memory.answer(Aggregate(.counts, of: Attribute(\.rating)), of: query), "\(query)")
        }
        let (counts, disposable) = custom.all().observe().map(\.count).collecting()
        let first = try #require(films.first)
        try custom.delete(first).run()
        #expect(try custom.object(withId: first.id).get() == nil)
        #expect(counts.all == [films.count, films.count - 1])
        disposable.dispose()
    }

    @Test("A store of public parts alone gives the answers of the library's stores")
    func agreement() throws {
        var random = RandomFilms(seed: 5)
        let films = random.films(120)
        let custom = ArrayStore()
        let memory = MemoryStore(Film.schema)
        for film in films.shuffled(using: &random.numbers) { try custom.insert(film).get() }
        try memory.insert(films).get()
        for _ in 0..<300 {
            let query = random.query(for: memory)
            let ids = try query.result().get().map(\.id)
            #expect(try query.asked(of: custom).result().get().map(\.id) == ids, "\(query)")
            let copy = Query(
                store: memory, condition: query.condition, sortCriteria: query.sortCriteria, limit: query.limit,
                offset: query.offset, after: query.after)
            #expect(copy == query)
        }
    }

    @Test("A condition tests an object, and fails if its pattern is not a regular expression")
    func matching() throws {
        let condition: Condition<Film> = \.budget > 5 && .startsWith(\.title, "The")
        #expect(try condition.matches(.fixture(title: "The Thing", budget: 6)))
        #expect(try !condition.matches(.fixture(title: "The Thing", budget: 5)))
        let compiled = try condition.compiled()
        #expect([4, 6, 8].filter { compiled(.fixture(title: "The Fly", budget: $0)) } == [6, 8])
        #expect(throws: StoreError.self) { try Condition<Film>.matches(\.title, "(").matches(.fixture()) }
    }

    @Test("Generic code finds an object by its id on every store", arguments: StoreKind.allCases)
    func genericID(_ kind: StoreKind) throws {
        func find<S: Store>(_ id: S.Object.ID, in store: S) throws -> [S.Object] {
            try store.filter(where: \.id == id).sorted(by: \.id).result().get()
        }
        func check(_ store: some TestedStore) throws {
            try store.insert([.fixture(id: 1), .fixture(id: 2)]).get()
            #expect(try find(2, in: store).map(\.id) == [2])
            #expect(try store.filter(where: Condition(id: 1) || .init(id: 2)).count().get() == 2)
        }
        try kind.run { try check($0) }
    }
}

@Suite("AnyStore")
struct AnyStoreTests {
    @Test("AnyStore does what its store does, and can be swapped while the program runs")
    func swapping() async throws {
        let sqlite = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        for base in [AnyStore(MemoryStore(Film.schema)), AnyStore(sqlite), AnyStore(AnyStore(ArrayStore()))] {
            try await base.insert([.fixture(id: 1), .fixture(id: 2), .fixture(id: 3)])
            try await base.upsert(.fixture(id: 4, title: "x"))
            try await base.update(.fixture(id: 3, title: "x"))
            try await base.delete(.fixture(id: 1))
            #expect(try await base.filter(where: \.title == "x").sorted(by: \.id).result().map(\.id) == [3, 4])
            #expect(try await base.count(base.all()) == 3)
            #expect(try await base.object(withId: 2)?.id == 2)
            #expect(try await base.object(withId: 1) == nil)
            #expect(try await base.delete(where: \.title == "x") == 2)
            try await base.delete([.fixture(id: 2)])
            #expect(try await base.all().result() == [])
            #expect(try await !base.all().plan().collected().isEmpty)
        }
        #expect(!(AnyStore(AnyStore(sqlite)).base is AnyStore<Film>))
    }

    @Test("Async functions throw the store's error")
    func failing() async throws {
        let films = AnyStore(MemoryStore(Film.schema))
        try await films.insert(.fixture(id: 1))
        await #expect(throws: StoreError.duplicate(id: "1")) { try await films.insert(.fixture(id: 1)) }
        await #expect(throws: StoreError.missing(id: "2")) { try await films.update([.fixture(id: 2)]) }
    }

    @Test("A transaction has an async form", arguments: StoreKind.allCases)
    func transactions(_ kind: StoreKind) async throws {
        func check(_ store: some TestedStore) async throws {
            let count = try await store.transaction { films throws(StoreError) in
                try films.insert([.fixture(id: 1), .fixture(id: 2)])
                return try films.count(store.all())
            }
            #expect(count == 2)
        }
        switch kind {
        case .memory: try await check(MemoryStore(Film.schema))
        case .sqlite: try await check(SQLiteStore(Film.schema, in: SQLiteDatabase(.memory)))
        }
    }
}
