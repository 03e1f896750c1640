import Testing

@testable import Persistence

@Suite("The index of a property in memory")
struct MemoryIndexTests {
    private struct Item: Identifiable, Sendable {
        var id: Int
        var group: Int?

        static let schema = Schema<Item>("items", Item.init, Column("id", \.id), Column("group", \.group))
    }

    /// Of 700 items in three blocks, the first 100 are in no group, and each other one in the group of its hundred.
    private func index() throws -> MemoryIndex<Item, Int?> {
        let attribute = try #require(Item.schema.attribute(named: "group"))
        var index = MemoryIndex<Item, Int?>(attribute) { $0.group }
        for id in 0..<700 { index.insert(Item(id: id, group: id < 100 ? nil : id / 100)) }
        return index
    }

    @Test("The ids of a range are found in all its blocks")
    func ranges() throws {
        var index = try index()
        func group(_ number: Int64) -> PrimitiveValue { .integer(number) }
        let ranges: [(AttributeRange, Range<Int>)] = [
            (AttributeRange(), 100..<700),
            (AttributeRange(lower: .including(group(2))), 200..<700),
            (AttributeRange(lower: .excluding(group(2))), 300..<700),
            (AttributeRange(upper: .including(group(5))), 100..<600),
            (AttributeRange(upper: .excluding(group(5))), 100..<500),
            (AttributeRange(lower: .including(group(2)), upper: .including(group(2))), 200..<300),
            (AttributeRange(lower: .including(.null), upper: .including(.null)), 0..<100),
            (AttributeRange(lower: .including(group(7)), upper: .including(group(9))), 0..<0),
        ]
        for (range, ids) in ranges {
            #expect(index.ids(in: range) == Array(ids), "\(range)")
            #expect(index.estimatedCount(in: range) == ids.count, "\(range)")
        }
        for id in 0..<700 where id != 650 { index.remove(Item(id: id, group: id < 100 ? nil : id / 100)) }
        #expect(index.ids(in: AttributeRange()) == [650])
    }

    @Test("Ids of several ranges are sorted, and each is kept once")
    func sortedIDs() {
        let cases: [([Int], [Int])] = [([3, 1, 2, 1, 3, 3], [1, 2, 3]), ([7], [7]), ([], []), ([2, 2], [2])]
        for (ids, sorted) in cases {
            var unique = ids
            sortUnique(&unique)
            #expect(unique == sorted)
        }
    }

    @Test(
        "Each value is visited once, with the ids of all blocks, until the visitor has enough",
        arguments: [false, true])
    func order(descending: Bool) throws {
        let index = try index()
        func visited(from id: Int? = nil, nilFirst: Bool = true, upTo limit: Int = .max) -> [Int] {
            var runs: [Int] = []
            var run: [Int] = []
            let first = id.map { Item(id: $0, group: $0 < 100 ? nil : $0 / 100) }
            index.visit(descending: descending, nilFirst: nilFirst, from: first) { ids, isLast in
                run += ids
                guard isLast else { return true }
                #expect(run == Array(run[0]..<run[0] + 100))
                runs.append(run[0] / 100)
                run = []
                return runs.count < limit
            }
            #expect(run.isEmpty)
            return runs
        }
        let groups = descending ? Array((1...6).reversed()) : Array(1...6)
        #expect(visited() == [0] + groups)
        #expect(visited(nilFirst: false) == groups + [0])
        #expect(visited(upTo: 1) == [0])
        #expect(visited(upTo: 3) == [0] + groups.prefix(2))
        #expect(visited(nilFirst: false, upTo: 6) == groups)
        #expect(visited(from: 350) == (descending ? [3, 2, 1] : [3, 4, 5, 6]))
        #expect(visited(from: 350, nilFirst: false) == (descending ? [3, 2, 1, 0] : [3, 4, 5, 6, 0]))
        #expect(visited(from: 50) == [0] + groups)
        #expect(visited(from: 50, nilFirst: false) == [0])
    }
}
