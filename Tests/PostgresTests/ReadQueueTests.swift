import Testing

@testable import Postgres

@Suite("A queue of reads by id")
struct ReadQueueTests {
    private var queue = ReadQueue<Int>(connections: 4, few: 2)

    /// Begins so many statements, and adds reads.
    private mutating func fill(_ running: Int, _ reads: ClosedRange<Int>, sizes: [Int] = []) {
        for _ in 0..<running { expect(queue.begin(), true) }
        for read in reads { queue.add(read, size: sizes.isEmpty ? 8 : sizes[read - 1]) }
    }

    @Test("While answers come soon, few statements run; the reads that wait share the next one")
    mutating func few() {
        fill(2, 1...5)
        expect(queue.next(), [])
        queue.end(isSoon: true)
        // No read overtakes those that wait.
        expect(queue.begin(), false)
        expect(queue.next(), [[1, 2, 3, 4, 5]])
        expect(queue.begin(), false)
        queue.end(isSoon: true)
        expect(queue.begin(), true)
        expect(queue.begin(), false)
    }

    @Test("The reads that wait are divided among the statements that can begin")
    mutating func divided() {
        fill(2, 1...5)
        queue.end(isSoon: true)
        queue.end(isSoon: true)
        expect(queue.next(), [[1, 2], [3, 4, 5]])
        expect(queue.waitingCount, 0)
    }

    @Test("After a late answer, there are as many statements as connections, until an answer comes soon")
    mutating func late() {
        fill(2, 1...4)
        queue.end(isSoon: false)
        expect(queue.next(), [[1], [2], [3, 4]])
        fill(0, 5...6)
        queue.end(isSoon: true)
        queue.end(isSoon: true)
        expect(queue.next(), [])
        queue.end(isSoon: true)
        expect(queue.next(), [[5, 6]])
    }

    @Test("There is at least one statement at a time, and never more than connections", arguments: [0, 1])
    mutating func least(connections: Int) {
        for few in 0...2 {
            queue = ReadQueue(connections: connections, few: few)
            for isSoon in [false, true] {
                expect(queue.begin(), true)
                expect(queue.begin(), false)
                queue.end(isSoon: isSoon)
            }
        }
    }

    // MARK: - Sizes

    private static let most = PostgresConnection.maximumUnreadSize / 2

    @Test("A statement has as many ids as can be sent at once")
    mutating func size() {
        queue = ReadQueue(connections: 1, few: 1)
        let size = Self.most / 10 - 1
        fill(1, 1...12, sizes: Array(repeating: size, count: 10) + [Self.most - 10 * size, 1])
        queue.end(isSoon: true)
        expect(queue.next(), [Array(1...11)])
        queue.end(isSoon: true)
        expect(queue.next(), [[12]])
    }

    @Test("A read whose id is long has a statement of its own, since one id may be in a statement ten times")
    mutating func longIDs() {
        queue = ReadQueue(connections: 1, few: 1)
        let long = Self.most / 10 + 1
        fill(1, 1...6, sizes: [8, long, long, 8, long - 1, long])
        for reads in [[1], [2], [3], [4, 5], [6]] {
            queue.end(isSoon: true)
            expect(queue.next(), [reads])
        }
    }

    // MARK: - Cancellation

    @Test("Reads that were cancelled are removed as soon as they may be more than half of all")
    mutating func cancelled() {
        fill(2, 1...8)
        var ended: Set<Int> = []
        for (read, count) in [(8, 8), (2, 8), (5, 8), (4, 8), (1, 3), (7, 3), (3, 1), (6, 0)] {
            ended.insert(read)
            queue.cancel(ended.contains)
            expect(queue.waitingCount, count)
        }
        queue.end(isSoon: true)
        expect(queue.next(), [])
        expect(queue.begin(), true)
    }

    // MARK: - Watching

    @Test("If no statement ends in a moment, there are as many as connections")
    mutating func quiet() {
        fill(2, 1...1)
        expect(queue.beginWatch(), true)
        queue.endWatch()
        expect(queue.next(), [[1]])
        expect(queue.begin(), true)
        expect(queue.begin(), false)
    }

    @Test("If a statement ends meanwhile, the others wait on")
    mutating func ended() {
        fill(2, 1...2)
        expect(queue.beginWatch(), true)
        queue.end(isSoon: true)
        expect(queue.next(), [[1, 2]])
        fill(0, 3...3)
        queue.endWatch()
        expect(queue.next(), [])
        expect(queue.beginWatch(), true)
    }

    @Test("There is one watch at a time, and only while reads wait for answers that come soon")
    mutating func watches() {
        fill(2, 1...1)
        expect(queue.beginWatch(), true)
        expect(queue.beginWatch(), false)
        queue.endWatch()
        expect(queue.next(), [[1]])
        fill(1, 2...2)
        // All connections are busy.
        expect(queue.beginWatch(), false)
        queue.end(isSoon: true)
        queue.end(isSoon: true)
        queue.end(isSoon: true)
        expect(queue.next(), [[2]])
        // Nothing waits.
        expect(queue.beginWatch(), false)
    }
}
