import Testing

@testable import Persistence

@Suite("The blocks of a table in memory")
struct OrderedTableTests {
    private struct Item: Identifiable {
        let id: Int
    }

    private func table(_ ids: Range<Int>) -> OrderedTable<Item> {
        var table = OrderedTable<Item>()
        for id in ids { _ = table.insert(Item(id: id)) }
        return table
    }

    private func sizes(_ table: OrderedTable<Item>) -> [Int] { table.blocks.map(\.count) }

    @Test("Objects that come in the order of their ids fill their blocks")
    func full() {
        #expect(sizes(table(0..<600)) == [256, 256, 88])
        #expect(table(0..<600).firstIDs == [0, 256, 512])
    }

    @Test("Two blocks become one when they are half full together, and an empty one goes")
    func joined() {
        var table = table(0..<512)
        for id in 64..<256 { _ = table.remove(id) }
        for id in 256..<447 { _ = table.remove(id) }
        #expect(sizes(table) == [64, 65])
        #expect(table.firstIDs == [0, 447])
        // Only the block before the removed object's is looked at when that is removed.
        _ = table.remove(0)
        #expect(sizes(table) == [128])
        #expect(table.firstIDs == [1])
        for id in 1..<512 { _ = table.remove(id) }
        #expect(sizes(table) == [] && table.count == 0)
    }

    @Test("A full block is halved by an id in its middle")
    func halved() {
        func sizes(afterInserting id: Int) -> [Int] {
            var table = OrderedTable<Item>()
            for id in 0..<256 { _ = table.insert(Item(id: 2 * id)) }
            #expect(table.insert(Item(id: id)) && !table.insert(Item(id: id)))
            #expect(table.blocks.map { $0[0].id } == Array(table.firstIDs) && table.count == 257)
            #expect(table.find(id)?.id == id)
            return self.sizes(table)
        }
        #expect(sizes(afterInserting: 255) == [129, 128])
        #expect(sizes(afterInserting: 257) == [128, 129])
        #expect(sizes(afterInserting: -1) == [129, 128])
    }

    @Test("The objects before a place are found, also if only one of them is in the last block", arguments: [1, 2])
    func found(index: Int) throws {
        let table = table(0..<600)
        let end = OrderedTable<Item>.Position(block: 1, index: index)
        for condition: Condition<Item> in [.always, \.id >= 0] {
            let filter = try Filter(condition)
            let found = table.elements(passing: filter, from: table.start, to: end, offset: 0, limit: .max)
            #expect(found.map(\.id) == Array(0..<256 + index))
            #expect(table.count(passing: filter, from: table.start, to: end) == 256 + index)
            let later = OrderedTable<Item>.Position(block: 1, index: 3)
            #expect(table.elements(passing: filter, from: later, to: end, offset: 0, limit: .max).isEmpty)
        }
    }

    @Test("The number of objects between two places is exact, unless they are more than 64 blocks apart")
    func counted() {
        let table = table(0..<256 * 70)
        typealias Position = OrderedTable<Item>.Position
        func estimate(_ start: Position, _ end: Position) -> Int { table.estimatedCount(from: start, to: end) }
        let start = Position(block: 1, index: 3)
        #expect(estimate(start, Position(block: 1, index: 5)) == 2)
        #expect(estimate(start, Position(block: 2, index: 5)) == 258)
        #expect(estimate(start, Position(block: 65, index: 5)) == 64 * 256 + 2)
        #expect(estimate(start, Position(block: 66, index: 5)) == 65 * 256)
        #expect(estimate(start, Position(block: 0, index: 5)) == 2)
        #expect(table.count(from: start, to: Position(block: 1, index: 1)) == 0)
    }
}
