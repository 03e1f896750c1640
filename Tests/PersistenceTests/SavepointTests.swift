import Feedback
import FeedbackTesting
import Persistence
import Testing

@Suite("Savepoints")
struct SavepointTests {
    private struct Refusal: Error, Equatable { var id: Int }

    @Test("Parts may be nested 500 deep, and again after these have ended", .onOwnThread, arguments: StoreKind.allCases)
    func nested(_ kind: StoreKind) async throws {
        func check(_ store: some TestedStore) async throws {
            let depths = try await store.transaction { films throws(StoreError) in
                var depths = [0, 0]
                for round in depths.indices {
                    func nest() throws(StoreError) {
                        try films.withSavepoint { () throws(StoreError) in
                            depths[round] += 1
                            try nest()
                        }
                    }
                    #expect(throws: StoreError.tooManyNestedParts) { try nest() }
                }
                return depths
            }
            #expect(depths == [500, 500])
        }
        try await kind.run { try await check($0) }
    }

    @Test("A part that fails is undone, and the transaction goes on", arguments: StoreKind.allCases)
    func undone(_ kind: StoreKind) async throws {
        func check(_ store: some TestedStore) async throws {
            try await store.insert(.fixture(id: 1, title: "Alien"))
            try await store.transaction { films in
                try films.insert([.fixture(id: 2)])
                #expect(throws: Refusal(id: 3)) {
                    try films.withSavepoint {
                        try films.insert([.fixture(id: 3)])
                        try films.update([.fixture(id: 1, title: "Brazil")])
                        try films.delete(ids: [2])
                        throw Refusal(id: 3)
                    }
                }
                #expect(try films.execute(store.all()).map(\.id) == [1, 2])
                try films.insert([.fixture(id: 4)])
            }
            #expect(try await store.all().result().map(\.id) == [1, 2, 4])
            #expect(try await store.object(withId: 1)?.title == "Alien")
            #expect(try await store.filter(where: \.title == "Alien").count() == 1)
        }
        try await kind.run { try await check($0) }
    }

    @Test("A part that succeeds returns its value, and is kept with the transaction", arguments: StoreKind.allCases)
    func kept(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            let count = try store.transaction { films throws(StoreError) in
                try films.withSavepoint { () throws(StoreError) in
                    try films.insert([.fixture(id: 1)])
                    return try films.count(store.all())
                }
            }.get()
            #expect(count == 1)
            #expect(throws: StoreError.rolledBack(reason: "no")) {
                try store.transaction { films throws(StoreError) in
                    try films.withSavepoint { () throws(StoreError) in try films.insert([.fixture(id: 2)]) }
                    throw .rolledBack(reason: "no")
                }.get()
            }
            #expect(try store.all().result().get().map(\.id) == [1])
        }
        try kind.run { try check($0) }
    }

    @Test(
        "A step that fails within a part is undone alone, and one that the part passes on undoes the part",
        arguments: StoreKind.allCases)
    func failedSteps(_ kind: StoreKind) async throws {
        func check(_ store: some TestedStore) async throws {
            try await store.transaction { films in
                try films.withSavepoint {
                    try films.insert([.fixture(id: 1)])
                    try? films.insert([.fixture(id: 2), .fixture(id: 1)])
                    try films.insert([.fixture(id: 3)])
                }
                let error = #expect(throws: StoreError.self) {
                    try films.withSavepoint {
                        try films.insert([.fixture(id: 4)])
                        try films.insert([.fixture(id: 1)])
                    }
                }
                guard case .duplicate? = error else {
                    Issue.record("\(String(describing: error)) is another error")
                    return
                }
            }
            #expect(try await store.all().result().map(\.id) == [1, 3])
        }
        try await kind.run { try await check($0) }
    }

    @Test(
        "Five hundred parts within each other are undone from the one that fails", .onOwnThread,
        arguments: StoreKind.allCases)
    func deep(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            try store.transaction { films throws(StoreError) in
                do { try Self.nest(films, 0) } catch { throw .rolledBack(reason: "\(error)") }
            }.get()
            #expect(try store.sorted(by: \.id).result().get().map(\.id) == Array(0..<250))
        }
        try kind.run { try check($0) }
    }

    @Test(
        "More parts within each other are refused, however many have ended before, and the others are kept",
        .onOwnThread, arguments: StoreKind.allCases)
    func tooDeep(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            let begun = try store.transaction { films throws(StoreError) in
                var begun: [Int] = []
                for start in [0, 1000] { try Self.nestWithoutEnd(films, start, &begun) }
                return begun
            }.get()
            #expect(begun == Array(0...500) + Array(1000...1500))
            #expect(try store.all().count().get() == 2 * 501)
        }
        try kind.run { try check($0) }
    }

    private static func nestWithoutEnd(
        _ films: some StoreTransaction<some Store<Film>>, _ id: Int, _ begun: inout [Int]
    ) throws(StoreError) {
        begun.append(id)
        try films.insert([.fixture(id: id)])
        do throws(StoreError) {
            try films.withSavepoint { () throws(StoreError) in try nestWithoutEnd(films, id + 1, &begun) }
        } catch {
            guard case .refused(let reason) = error, reason.contains("500"), id % 1000 == 500 else { throw error }
        }
    }

    private static func nest(_ films: some StoreTransaction<some Store<Film>>, _ depth: Int) throws {
        if depth == 500 { throw Refusal(id: depth) }
        try films.insert([.fixture(id: depth)])
        do {
            try films.withSavepoint { try nest(films, depth + 1) }
        } catch  where depth == 249 {
            #expect(error as? Refusal == Refusal(id: 500))
        }
    }

    @Test("No part begins after the body has ended", arguments: StoreKind.allCases)
    func ended(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            // Only this test's thread runs the body.
            nonisolated(unsafe) var escaped: (() throws(StoreError) -> Void)?
            try store.transaction { films throws(StoreError) in
                escaped = { () throws(StoreError) in try films.withSavepoint { () throws(StoreError) in } }
            }.get()
            let error = #expect(throws: StoreError.self) { try escaped?() }
            guard case .rolledBack? = error else {
                Issue.record("\(String(describing: error)) is another error")
                return
            }
        }
        try kind.run { try check($0) }
    }

    @Test("Parts within parts leave what a plain model says, and observers are told it", arguments: StoreKind.allCases)
    func model(_ kind: StoreKind) async throws {
        func check(_ store: some TestedStore) async throws {
            let (told, observation) = store.observe(store.all().sorted(by: \.id)).collecting()
            defer { observation.dispose() }
            var model: [Int: Film] = [:]
            var failures = 0
            for seed in 0..<40 as Range<UInt64> {
                let before = model
                do throws(StoreError) {
                    model = try await store.transaction { films throws(StoreError) in
                        var model = before
                        var steps = RandomSteps(seed: seed)
                        try steps.run(on: films, &model)
                        return model
                    }
                } catch {
                    #expect(error == RandomSteps.changeOfMind)
                    failures += 1
                }
                #expect(try await store.sorted(by: \.id).result() == model.values.sorted { $0.id < $1.id })
            }
            #expect(failures > 0 && failures < 40)
            await eventually("the last answer is told") { told.all.last == model.values.sorted { $0.id < $1.id } }
        }
        try await kind.run { try await check($0) }
    }
}

/// The same steps for the same seed, on a transaction and on a plain model.
private struct RandomSteps {
    static let changeOfMind = StoreError.rolledBack(reason: "changed my mind")

    private var numbers: SeededNumbers

    init(seed: UInt64) { numbers = SeededNumbers(seed: seed) }

    private mutating func number(below end: Int) -> Int { Int.random(in: 0..<end, using: &numbers) }

    mutating func run(
        on films: some StoreTransaction<some Store<Film>>, _ model: inout [Int: Film], depth: Int = 0
    ) throws(StoreError) {
        for _ in 0..<6 {
            let film = Film.fixture(id: number(below: 12), title: "\(number(below: 1000))")
            switch number(below: 5) {
            case 0:
                let isNew = model[film.id] == nil
                do throws(StoreError) {
                    try films.insert([film])
                    #expect(isNew)
                    model[film.id] = film
                } catch {
                    #expect(!isNew)
                }
            case 1:
                try films.upsert([film])
                model[film.id] = film
            case 2: #expect((try films.delete(ids: [film.id]) == 1) == (model.removeValue(forKey: film.id) != nil))
            default:
                if depth == 3 { continue }
                let before = model
                do throws(StoreError) {
                    try films.withSavepoint { () throws(StoreError) in
                        try run(on: films, &model, depth: depth + 1)
                    }
                } catch {
                    #expect(error == Self.changeOfMind)
                    model = before
                }
            }
            #expect(try films.object(withId: film.id) == model[film.id])
        }
        if number(below: 3) == 0 { throw Self.changeOfMind }
    }
}
