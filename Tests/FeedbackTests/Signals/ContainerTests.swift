import Testing

@testable import Feedback

/// The containers and counters of which streams and properties are made.
@Suite("Containers")
struct ContainerTests {
    @Test(
        "Whatever is inserted into a bag and taken out, the others keep their order", arguments: 0..<20 as Range<UInt64>
    )
    func bag(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        var (bag, model) = (Bag<Int>(), [(key: UInt, element: Int)]())
        for number in 0..<400 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<4:
                let key = bag.insert(number)
                #expect(model.allSatisfy { $0.key < key })
                model.append((key, number))
            case 4..<7 where !model.isEmpty:
                let place = Int.random(in: 0..<model.count, using: &random)
                let (key, element) = model.remove(at: place)
                #expect(bag.remove(key) == element && bag.remove(key) == nil)
                // No empty slot is behind the last element.
                #expect(bag.slots.last?.element != nil || bag.slots.isEmpty)
            case 7 where number % 10 == 0:
                #expect(bag.removeAll() == model.map(\.element))
                model = []
            default: #expect(bag.remove(100_000) == nil)
            }
            #expect(bag.count == model.count && bag.isEmpty == model.isEmpty)
            #expect(bag.slots.compactMap(\.element) == model.map(\.element))
            if model.isEmpty { #expect(bag.slots.isEmpty) }
        }
    }

    @Test("Elements that are taken out from the first on leave few slots, and from the last on none")
    func bagSize() {
        var bag = Bag<Int>()
        let keys = (0..<100).map { bag.insert($0) }
        for number in 0..<90 {
            #expect(bag.remove(keys[number]) == number)
            #expect(bag.slots.count <= 2 * bag.count)
        }
        for number in (95..<100).reversed() { #expect(bag.remove(keys[number]) == number) }
        #expect(bag.slots.last?.element == 94)
        #expect(bag.remove(keys[93]) == 93 && bag.remove(keys[94]) == 94 && bag.slots.last?.element == 92)
        var other = Bag<Int>()
        #expect(other.insert(7, for: keys[50]) == keys[50] && other.count == 1)
        #expect(other.remove(keys[49]) == nil && other.remove(keys[50]) == 7 && other.isEmpty)
    }

    @Test("A queue gives back what was appended, in order, except what was removed", arguments: 0..<20 as Range<UInt64>)
    func queue(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        var (queue, model) = (Queue<Int>(), [Int]())
        for number in 0..<400 {
            switch Int.random(in: 0..<(number < 200 ? 8 : 12), using: &random) {
            case 0..<5:
                queue.append(number)
                model.append(number)
            case 5:
                let wanted = number - Int.random(in: 0..<20, using: &random)
                let place = model.firstIndex { $0 >= wanted }
                #expect(queue.removeFirst { $0 >= wanted } == place.map { model[$0] })
                if let place { model.remove(at: place) }
            default:
                #expect(queue.popFirst() == model.first)
                model = Array(model.dropFirst())
                // Few places of elements that were taken are kept.
                #expect(queue.head < 16 || queue.head * 2 < queue.elements.count)
            }
            #expect(queue.first == model.first && queue.count == model.count && queue.isEmpty == model.isEmpty)
        }
    }

    private final class Element {}

    @Test("A roster calls its elements in order, after each change anew")
    func roster() {
        var roster = Roster<Element>()
        let elements = (0..<4).map { _ in Element() }
        func called() -> [Int?] {
            if roster.isStale { roster.refresh() }
            #expect(!roster.isStale)
            return roster.calls.map { call in elements.firstIndex { $0 === call.takeUnretainedValue() } }
        }
        #expect(roster.isEmpty && called().isEmpty)
        let keys = elements.map { roster.insert($0) }
        #expect(!roster.isEmpty && called() == [0, 1, 2, 3])
        #expect(roster.remove(keys[1]) === elements[1] && called() == [0, 2, 3])
        #expect(roster.removeAll().count == 3 && roster.isEmpty && called().isEmpty)
    }

    @Test("Of the alarms that are set, the latest is kept; the others are withdrawn, also those that come late")
    func latestAlarm() {
        let alarm = LatestAlarm()
        let handles = (0..<6).map { _ in AnyDisposable() }
        func withdrawn() -> [Int] { handles.indices.filter { handles[$0].isDisposed } }
        alarm.keep(handles[1], of: 1)
        #expect(withdrawn().isEmpty)
        alarm.keep(handles[3], of: 3)
        #expect(withdrawn() == [1])
        alarm.keep(handles[2], of: 2)
        #expect(withdrawn() == [1, 2])
        alarm.keep(nil, of: 4)
        #expect(withdrawn() == [1, 2, 3] && !alarm.isDisposed)
        alarm.keep(handles[4], of: 5)
        alarm.dispose()
        #expect(withdrawn() == [1, 2, 3, 4] && alarm.isDisposed)
        alarm.keep(handles[5], of: 6)
        #expect(withdrawn() == [1, 2, 3, 4, 5])
    }

    @Test("A change of another is told from the own ones, and only the latest counts")
    func ownWrites() {
        let (property, own, seen) = (MutableProperty(0), OwnWrites(), Log<String>())
        let doubled = property.map { 2 * $0 }
        property.signal.observeValues { value in
            seen.add("\(value) \(doubled.value) \(own.numberBeforeOther.map { "\($0)" } ?? "own")")
        }
        own.change(property) { $0 = 1 }
        property.value = 2
        own.change(property) { $0 += 1 }
        own.change(property) { $0 += 1 }
        property.value = 5
        #expect(seen.entries == ["1 2 own", "2 4 1", "3 6 own", "4 8 own", "5 10 3"])
        #expect(own.isLatest(3) && !own.isLatest(2) && own.numberBeforeOther == 3)
    }

    @Test("Steps of starting run in the order of the nested calls that they stand for")
    func startSteps() {
        let (steps, order) = (StartSteps(), Log<String>())
        for round in 1...2 {
            steps.perform {
                order.add("a\(round)")
                steps.perform {
                    order.add("b\(round)")
                    steps.perform { order.add("c\(round)") }
                    steps.perform { order.add("d\(round)") }
                }
                steps.perform { order.add("e\(round)") }
                order.add("f\(round)")
            }
        }
        #expect(order.entries.joined(separator: " ") == "a1 f1 b1 c1 d1 e1 a2 f2 b2 c2 d2 e2")
    }

    @Test("Calls inside of calls are left to a loop from the ninth on, in their order")
    func unrolling() {
        let (order, depth, deepest) = (Log<Int>(), Shared(0), Shared(0))
        @Sendable func nest(_ number: Int) {
            ThreadState.current.unroll {
                depth.value += 1
                deepest.value = max(deepest.value, depth.value)
                order.add(number)
                if number < 30 { nest(number + 1) }
                depth.value -= 1
            }
        }
        for _ in 1...2 { nest(1) }
        #expect(order.entries == Array(1...30) + Array(1...30))
        #expect(deepest.value == 8 && depth.value == 0)
    }

    @Test("Deep in a row of joined signals, all share one lane for their steps")
    func signalPlaces() {
        let steps = SignalLane()
        #expect(SignalPlace(after: []).depth == 1)
        let shallow = SignalPlace(after: [SignalPlace(depth: 30), SignalPlace(depth: 4)])
        #expect(shallow.depth == 31 && shallow.steps == nil)
        let first = SignalPlace(after: [SignalPlace(depth: 4), shallow])
        #expect(first.depth == 32 && first.steps != nil)
        let next = SignalPlace(after: [first, SignalPlace(depth: 31)])
        #expect(next.depth == 33 && next.steps === first.steps)
        let joined = SignalPlace(after: [SignalPlace(depth: 50, steps: steps), next])
        #expect(joined.depth == 51 && joined.steps === steps)
    }
}
