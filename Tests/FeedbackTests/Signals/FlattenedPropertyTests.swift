import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Synchronization
import Testing

@Suite("Flattened properties are as new as their sources", .timeLimit(.minutes(10)), .onOwnThread)
struct FlattenedPropertyTests {
    @Test("One that goes over all the time is read in time, and is not old")
    func restless() {
        let outer = MutableProperty(0)
        let counters = (0..<4).map { _ in MutableProperty(0) }
        let mapped = counters.map { counter in counter.map { $0 } }
        let flattened = outer.flatMap(.latest) { number in mapped[number % 4].map { [number, $0] } }
        let (isOver, old) = (Shared(false), Shared(0))
        onThreadsBlocking(3) { thread in
            switch thread {
            case 0: while !isOver.value { outer.modify { $0 += 1 } }
            case 1: while !isOver.value { for counter in counters { counter.modify { $0 += 1 } } }
            default:
                for _ in 0..<300 {
                    let known = counters.map(\.value)
                    let number = outer.value
                    let read = flattened.value
                    if read[0] < number || read[1] < known[read[0] % 4] { old.modify { $0 += 1 } }
                }
                isOver.value = true
            }
        }
        #expect(old.value == 0)
    }

    @Test("The value that an inner property has waited for is read, although the property goes over all the time")
    func stale() {
        let outer = MutableProperty(0)
        let (first, second) = (MutableProperty(-1), MutableProperty(0))
        let mapped = second.map { number in
            // Takes until the property has gone over many times.
            var sum = 0
            for number in 0..<200_000 { sum &+= number ^ sum }
            return sum == 1 ? 0 : number
        }
        let flattened = outer.flatMap(.latest) { $0 % 2 == 0 ? first.map { $0 } : mapped }
        let (isOver, old) = (Shared(false), Shared(0))
        onThreadsBlocking(3) { thread in
            switch thread {
            case 0: while !isOver.value { outer.modify { $0 += 1 } }
            case 1: for number in 1...100 { second.value = number }
            default:
                while second.value < 100 {
                    let known = second.value
                    let read = flattened.value
                    if read != -1, read < known { old.modify { $0 += 1 } }
                }
                isOver.value = true
            }
        }
        #expect(old.value == 0)
    }

    @Test("The next of several in a row is waited for, when the one before it has ended", arguments: [0, 40])
    func successor(depth: Int) {
        let (values, input) = Signal<Int, NoError>.pipe()
        let first = Property(initial: 1, then: values)
        let second = MutableProperty(10)
        // Is told of the end before the other one.
        let witness = MutableProperty(first)
        let end = witness.flatMap(.concat) { $0 }
        witness.value = Property(value: 2)
        let outer = MutableProperty(first)
        var row = outer.map { $0 }
        for _ in 0..<depth { row = row.combineLatest(with: second).map { $0.0 } }
        let flattened = row.flatMap(.concat) { $0 }
        outer.value = Property(second)

        let (locked, unlock) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (hasRead, read) = (Shared(false), Shared(0))
        onThreadsBlocking(4) { thread in
            switch thread {
            case 0:
                // Nobody can begin to observe the second one.
                second.modify { _ in
                    locked.signal()
                    unlock.wait()
                }
            case 1:
                locked.wait()
                input.sendCompleted()
            case 2:
                while end.value == 1 { sched_yield() }
                read.value = flattened.value
                hasRead.value = true
            default:
                for _ in 0..<2_000 where !hasRead.value { sched_yield() }
                unlock.signal()
            }
        }
        #expect(read.value == 10)
    }

    @Test("An inner property that it has left gets no further values, even if a change of its source is under way")
    func abandoned() {
        let (inside, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let source = MutableProperty(0)
        let mapped = source.map { number in
            if number == 1 {
                inside.signal()
                goOn.wait()
            }
            return number
        }
        let (outer, taken) = (MutableProperty(0), Log<[Int]>())
        let flattened = outer.flatMap(.latest) { choice in
            mapped.map { number in
                taken.add([choice, number])
                return [choice, number]
            }
        }
        onThreadsBlocking(2) { thread in
            if thread == 0 { return source.value = 1 }
            inside.wait()
            for choice in 1...100 { outer.value = choice }
            goOn.signal()
        }
        #expect(flattened.value == [100, 1])
        #expect(taken.entries.filter { $0[1] == 1 } == [[100, 1]])
    }

    @Test("A value that is replaced may wait for a thread that reads when it is released")
    func release() {
        let source = MutableProperty(0)
        let answer = source.map { $0 * 2 }
        let (answered, results) = (DispatchSemaphore(value: 0), Log<DispatchTimeoutResult>())
        let object = source.map { number in
            AtRelease {
                Thread.detachNewThread {
                    _ = answer.value
                    answered.signal()
                }
                // Not reached, unless the thread above waits for this one.
                results.add(answered.wait(timeout: .now() + 60))
            }
        }
        source.value = 1
        source.value = 2
        object.value.touch()
        #expect(results.entries == [.success, .success])
    }
}
