import Persistence
import Testing

@Suite("A list of ids")
struct EntityListTests {
    private var list = EntityList([5, 4, 3], next: "below 3")

    @Test("A page at the end moves the end, and brings no id twice")
    mutating func appending() {
        list.append([3, 2, 1], next: nil)
        #expect(list.ids == [5, 4, 3, 2, 1])
        #expect(list.next == nil)
    }

    @Test("A new page that reaches what is known leaves no gap")
    mutating func prependingWithoutGap() {
        list.prepend([7, 6, 5, 4], hasMore: true)
        #expect(list.ids == [7, 6, 5, 4, 3])
        #expect(list.gaps.isEmpty)
    }

    @Test("A new page that does not reach what is known leaves a gap, which can be filled page by page")
    mutating func gap() {
        list.prepend([12, 11], hasMore: true)
        #expect(list.ids == [12, 11, 5, 4, 3])
        #expect(list.gaps == [11])
        list.fill(gapAfter: 11, with: [10, 9], hasMore: true)
        #expect(list.ids == [12, 11, 10, 9, 5, 4, 3])
        #expect(list.gaps == [9])
        list.fill(gapAfter: 9, with: [8, 7, 6, 5], hasMore: true)
        #expect(list.ids == [12, 11, 10, 9, 8, 7, 6, 5, 4, 3])
        #expect(list.gaps.isEmpty)
    }

    @Test("A page after which there is nothing new leaves no gap")
    mutating func lastNewPage() {
        list.prepend([7, 6], hasMore: false)
        #expect(list.gaps.isEmpty)
        list.prepend([10], hasMore: true)
        list.fill(gapAfter: 10, with: [], hasMore: false)
        #expect(list.ids == [10, 7, 6, 5, 4, 3])
        #expect(list.gaps.isEmpty)
    }

    @Test("A gap that is already filled is not filled again")
    mutating func filledOnce() {
        list.fill(gapAfter: 4, with: [100], hasMore: true)
        #expect(list.ids == [5, 4, 3])
    }

    @Test("A gap moves up when the id before it goes")
    mutating func removing() {
        list.prepend([12, 11], hasMore: true)
        list.remove(11)
        #expect(list.gaps == [12])
        list.remove(12)
        #expect(list.gaps.isEmpty)
        #expect(list.ids == [5, 4, 3])
    }

    @Test("The ids that a page has after known ones follow them")
    mutating func pageBelow() {
        list.remove(4)
        list.prepend([6, 5, 3, 2], hasMore: true)
        #expect(list.ids == [6, 5, 3, 2])
        #expect(list.gaps.isEmpty)
        list.prepend([9, 8], hasMore: true)
        list.fill(gapAfter: 8, with: [7, 6, 5, 4, 3, 2, 1], hasMore: false)
        #expect(list.ids == [9, 8, 7, 6, 5, 4, 3, 2, 1])
        #expect(list.gaps.isEmpty)
    }

    @Test("A page that ends in a gap moves the gap, and one that crosses it closes it")
    mutating func pageInGap() {
        list.prepend([12, 11], hasMore: true)
        list.prepend([13, 12, 11], hasMore: true)
        #expect(list.gaps == [11])
        list.prepend([13, 12, 11, 10], hasMore: true)
        #expect(list.ids == [13, 12, 11, 10, 5, 4, 3])
        #expect(list.gaps == [10])
        list.prepend([13, 12, 11, 10, 9, 8, 7, 6, 5], hasMore: true)
        #expect(list.ids == Array((3...13).reversed()))
        #expect(list.gaps.isEmpty)
    }

    @Test("A gap stays open while it is filled, also if everything below it has gone")
    mutating func gapAtEnd() {
        list.prepend([12], hasMore: true)
        for id in 3...5 { list.remove(id) }
        list.fill(gapAfter: 12, with: [11], hasMore: true)
        #expect(list.ids == [12, 11])
        #expect(list.gaps == [11])
        list.prepend([12, 11, 10], hasMore: true)
        #expect(list.ids == [12, 11, 10])
        #expect(list.gaps == [10])
    }

    @Test("New ids go to the top, also if the page lacks the known ones there, or begins with one from further down")
    mutating func unusualPages() {
        list.prepend([7, 3], hasMore: true)
        #expect(list.ids == [7, 5, 4, 3])
        list.prepend([3, 9, 8, 7], hasMore: true)
        #expect(list.ids == [9, 8, 7, 5, 4, 3])
        #expect(list.gaps.isEmpty)
    }

    @Test(
        "However a list is refreshed, filled and shortened, it is in the server's order, and each missing id is in a gap",
        arguments: 0..<10 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        var server: [Int] = [3, 2, 1]
        var list = EntityList(server, next: nil)
        func page(after id: Int = .max) -> (ids: [Int], hasMore: Bool) {
            let rest = server.filter { $0 < id }
            let page = Array(rest.prefix(.random(in: 1...6, using: &numbers)))
            return (page, page.count < rest.count)
        }
        for _ in 0..<100 {
            for _ in 0..<Int.random(in: 1...4, using: &numbers) { server.insert(server[0] + 1, at: 0) }
            let gone = list.ids.shuffled(using: &numbers).prefix(.random(in: 0...2, using: &numbers))
            for id in gone where id != server[0] {
                list.remove(id)
                server.removeAll { $0 == id }
            }
            if let gap = list.gaps.sorted().randomElement(using: &numbers), Bool.random(using: &numbers) {
                let page = page(after: gap)
                list.fill(gapAfter: gap, with: page.ids, hasMore: page.hasMore)
            } else {
                let page = page()
                list.prepend(page.ids, hasMore: page.hasMore)
            }
            try #require(list.ids == list.ids.sorted(by: >))
            let known = Set(list.ids)
            var above = 0
            for id in server where id <= list.ids.first ?? 0 && id >= list.ids.last ?? 0 {
                if known.contains(id) { above = id } else { try #require(list.gaps.contains(above), "\(id)") }
            }
        }
    }

    @Test("The first page of an empty list leaves no gap")
    func first() {
        var list = EntityList<Int>()
        list.prepend([2, 1], hasMore: true)
        #expect(list.gaps.isEmpty)
    }
}
