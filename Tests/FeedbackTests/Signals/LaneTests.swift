import FeedbackTesting
import Synchronization
import Testing

@testable import Feedback

@Suite("Lane", .onOwnThread)
struct LaneTests {
    /// A lane in a class, as `Lane` can't be captured.
    final class Holder: Sendable {
        let lane: Lane<Int>
        let log = Log<Int>()

        init(isTaken: Bool = false) { lane = Lane(isTaken: isTaken) }

        func work(on item: Int) {
            guard lane.enter(or: item) else { return lane.relieve { log.add($0) } }
            log.add(item)
            lane.leave { log.add($0) }
        }
    }

    @Test("Who finds it free is inside, and who finds it taken leaves an item behind")
    func entering() {
        let holder = Holder()
        #expect(holder.lane.enter(or: 1) == true)
        #expect(holder.lane.enter(or: 2) == false)
        #expect(holder.lane.enter(or: 3) == false)
        holder.lane.leave { holder.log.add($0) }
        #expect(holder.log.entries == [2, 3])
        #expect(holder.lane.enter(or: 4) == true)
    }

    @Test("An item that is left behind while the last one is worked on is worked on too")
    func leavingBehindAtTheLastMoment() {
        let holder = Holder(isTaken: true)
        holder.work(on: 1)
        holder.lane.leave { item in
            holder.log.add(item)
            if item < 5 { holder.work(on: item + 1) }
        }
        #expect(holder.log.entries == [1, 2, 3, 4, 5])
    }

    @Test("A thread that works for others hands the lane over to them", .timeLimit(.minutes(10)))
    func handover() async {
        let holder = Holder(isTaken: true)
        let (worked, isOver) = (Shared(0), Shared(false))
        // Another thread leaves items faster than they are worked on, for as long as the first is inside.
        async let other: Void = onThreads(1) { _ in
            while !isOver.value {
                guard holder.lane.enter(or: 0) else {
                    holder.lane.relieve { _ in }
                    continue
                }
                holder.lane.leave { _ in }
            }
        }
        await onThreads(1) { _ in
            holder.work(on: 1)
            holder.lane.leave { _ in
                // Slower than what the other does, so that the items never run out.
                let end = ContinuousClock.now + .microseconds(20)
                while ContinuousClock.now < end {}
                worked.modify { $0 += 1 }
            }
            isOver.value = true
        }
        await other
        // Some offers may find the other thread asleep, on a busy machine.
        #expect(worked.value < 100_000)
    }

    @Test("A shift is over after a few items, if each takes as long as a shift")
    func slowItems() {
        var shift = Shift()
        var items = 0
        repeat {
            items += 1
            let end = ContinuousClock.now + .milliseconds(11)
            while ContinuousClock.now < end {}
        } while !shift.isOver() && items < 100
        #expect(items == 4)
        // However fast they are, it is over after 256.
        shift = Shift()
        #expect((1...256).contains { _ in shift.isOver() })
    }

    @Test("From eight threads each item is worked on once, alone, in its thread's order")
    func stress() async {
        let holder = Holder()
        let inside = Atomic(0)
        let overlaps = Atomic(0)
        let next = Locked([Int](repeating: 0, count: 8))
        let outOfOrder = Atomic(0)
        @Sendable func work(_ item: Int) {
            if inside.add(1, ordering: .acquiringAndReleasing).oldValue != 0 { overlaps.add(1, ordering: .relaxed) }
            let (thread, number) = (item / 100_000, item % 100_000)
            next.withLock {
                if $0[thread] != number { outOfOrder.add(1, ordering: .relaxed) }
                $0[thread] += 1
            }
            inside.subtract(1, ordering: .acquiringAndReleasing)
        }
        await onThreads(8) { thread in
            for number in 0..<20_000 {
                let item = thread * 100_000 + number
                guard holder.lane.enter(or: item) else {
                    holder.lane.relieve { work($0) }
                    continue
                }
                work(item)
                holder.lane.leave(work)
            }
        }
        #expect(next.withLock { $0 } == [Int](repeating: 20_000, count: 8))
        #expect(overlaps.load(ordering: .relaxed) == 0)
        #expect(outOfOrder.load(ordering: .relaxed) == 0)
    }

    @Test("Items that nobody works on go with the lane")
    func dropped() {
        let census = Tracked.Census()
        do {
            let lane = Lane<Tracked>(isTaken: true)
            for _ in 0..<10 { #expect(lane.enter(or: census.make()) == false) }
            #expect(census.living == 10)
        }
        #expect(census.living == 0)
    }
}

@Suite("Bag")
struct BagTests {
    @Test("Elements keep their order, whatever is taken out")
    func order() {
        var bag = Bag<Int>()
        let keys = (0..<1_000).map { bag.insert($0) }
        for number in 0..<1_000 where number % 3 != 0 { #expect(bag.remove(keys[number]) == number) }
        #expect(bag.count == 334)
        #expect(bag.remove(keys[1]) == nil)
        #expect(bag.removeAll() == (0..<1_000).filter { $0 % 3 == 0 })
        #expect(bag.isEmpty)
    }
}
