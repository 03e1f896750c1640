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

    @Test("A plan in memory names the steps after the search")
    func memory() throws {
        let store = MemoryStore(Film.schema)
        try store.insert((0..<3).map { .fixture(id: $0) }).get()
        let query = store.filter(where: \.score > 1).sorted(by: \.score, inOrder: .descending).sorted(by: \.title)
        let steps = try query.plan().get().steps
        #expect(steps.count == 3)
        #expect(steps.first == "SCAN 3 objects")
        #expect(steps.dropFirst().first?.hasPrefix("FILTER") == true)
        #expect(steps.last?.hasPrefix("SORT by") == true && steps.last?.contains(", then ") == true)
        #expect(try store.all().plan().get().steps == ["SCAN 3 objects"])
    }
}
