import Persistence
import Testing

@Suite("Plans")
struct PlanTests {
    @Test("A store says how it goes about a query, and uses the indexes of its schema", arguments: StoreKind.allCases)
    func plans(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            try store.insert((0..<100).map { .fixture(id: $0, budget: $0) }).get()
            let indexed = try store.filter(where: \.budget == 3 && \.score > 1).plan().get().description
            let scanned = try store.filter(where: \.score > 1).plan().get().description
            let prefix = try store.filter(where: .startsWith(\.title, "Zz")).plan().get().description
            #expect(indexed.contains("SEARCH") && indexed.contains("budget"), "\(indexed)")
            #expect(scanned.contains("SCAN"), "\(scanned)")
            #expect(prefix.contains("SEARCH") && prefix.contains("title"), "\(prefix)")
        }
        try kind.run { try check($0) }
    }

    @Test("A plan of SQLite begins with the statement, and says at its end if conditions are tested in memory")
    func sqlite() throws {
        let films = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        func steps(_ condition: Condition<Film>) throws -> [String] {
            try films.filter(where: condition).plan().get().steps
        }
        let few = try steps(\.budget == 3)
        #expect(few.first?.hasPrefix("SELECT") == true && few.first?.contains("\"budget\" = ?") == true)
        #expect(few.count == 2 && !few[1].contains("in memory"))
        let many = try steps(.any(of: (0..<4_100).map { .startsWith(\.title, "\($0)") }))
        #expect(many.first?.hasPrefix("SELECT") == true)
        #expect(many.last?.contains("in memory") == true)
    }

    @Test("A plan in memory names the steps after the search")
    func memory() throws {
        let store = MemoryStore(Film.schema)
        #expect(try store.all().plan().get().steps == ["SCAN 0 objects"])
        try store.insert((0..<3).map { .fixture(id: $0) }).get()
        let query = store.filter(where: \.score > 1).sorted(by: \.score, inOrder: .descending).sorted(by: \.title)
        let steps = try query.plan().get().steps
        #expect(steps.count == 3)
        #expect(steps.first == "SCAN 3 objects")
        #expect(steps.dropFirst().first?.hasPrefix("FILTER") == true)
        #expect(steps.last?.hasPrefix("SORT by") == true && steps.last?.contains(", then ") == true)
        #expect(try store.all().plan().get().steps == ["SCAN 3 objects"])
    }

    @Test("In memory an index is used if it finds less than an eighth of the objects, and the one that finds fewest")
    func bestPath() throws {
        let store = MemoryStore(Film.schema)
        try store.insert((0..<80).map { .fixture(id: $0, budget: $0, votes: UInt64($0)) }).get()
        func first(_ condition: Condition<Film>) throws -> String {
            try store.filter(where: condition).plan().get().steps[0]
        }
        func search(_ count: Int, _ property: AnyKeyPath) -> String {
            "SEARCH \(count) of 80 objects by the index of \(property)"
        }
        #expect(try first(\.budget < 9) == search(9, \Film.budget))
        #expect(try first(\.budget < 10) == "SCAN 80 objects")
        #expect(try first(\.budget > 70) == search(9, \Film.budget))
        #expect(try first(\.budget >= 71) == search(9, \Film.budget))
        #expect(try first(.in(\.budget, [3, 5, 99])) == search(2, \Film.budget))
        #expect(try first(\.budget < 5 && \.votes < 3) == search(3, \Film.votes))
        #expect(try first(\.budget < 3 && \.votes < 3) == search(3, \Film.budget))
        #expect(try first(.in(\.id, [3, 1, 3])) == "SEARCH 2 ids")
        #expect(try first(\.id >= 75) == "SEARCH 5 of 80 objects by id")
        #expect(try first(.between(\.id, 10...12) && \.budget == 11) == "SEARCH 3 of 80 objects by id")
    }

    @Test("In memory the order of an index is used for a page that ends within the first eighth", arguments: [0, 4])
    func orderedPath(offset: Int) throws {
        let store = MemoryStore(Film.schema)
        try store.insert((0..<80).map { .fixture(id: $0, budget: $0) }).get()
        func first(_ limit: Int) throws -> String {
            try store.sorted(by: \.budget).page(limit: limit, offset: offset).plan().get().steps[0]
        }
        #expect(try first(9 - offset).hasPrefix("READ in the order of the index"))
        #expect(try first(10 - offset) == "SCAN 80 objects")
    }
}
