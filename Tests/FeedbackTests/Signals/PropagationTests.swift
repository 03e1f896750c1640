import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Testing

@Suite(
    "Derived properties, brought up to date and read from several threads", .timeLimit(.minutes(10)),
    .onOwnThread)
struct PropagationTests {
    /// A property of a type of its own, as users write them.
    private final class Custom: PropertyProtocol {
        let inner: MutableProperty<Int>
        let willStart: @Sendable () -> Void

        init(_ value: Int, willStart: @escaping @Sendable () -> Void = {}) {
            inner = MutableProperty(value)
            self.willStart = willStart
        }

        var value: Int { inner.value }
        var signal: Signal<Int, NoError> { inner.signal }
        var producer: SignalProducer<Int, NoError> { inner.producer.on(starting: willStart) }
    }

    @Test(
        "A transform that reads another property of its source while that changes elsewhere does not wait for itself"
    )
    func transform() {
        let source = MutableProperty(1)
        let double = source.map { $0 * 2 }
        let sum = source.map { number -> Int in
            if number == 1 { onThreadsBlocking(1) { _ in source.value = 2 } }
            return double.value + number
        }
        #expect(sum.value == 6)
    }

    @Test(
        "A thread that makes a property while its source changes elsewhere delivers the change to observers"
    )
    func making() {
        let source = MutableProperty(1)
        let double = source.map { $0 * 2 }
        let read = Log<Int>()
        let observation = double.signal.observeValues { _ in read.add(double.value) }
        let same = source.map { number -> Int in
            if number == 1 { onThreadsBlocking(1) { _ in source.value = 2 } }
            return number
        }
        #expect(read.entries == [4])
        #expect(same.value == 2)
        observation?.dispose()
    }

    @Test(
        "A thread that lets go of a property while its source changes elsewhere delivers the change to observers"
    )
    func lettingGo() {
        let source = MutableProperty(1)
        let double = source.map { $0 * 2 }
        let read = Log<Int>()
        let observation = double.signal.observeValues { _ in read.add(double.value) }
        do {
            _ = source.map {
                [last = AtRelease { onThreadsBlocking(1) { _ in source.value = 2 } }] number in
                last.touch()
                return number
            }
        }
        #expect(read.entries == [4])
        observation?.dispose()
    }

    @Test("An object that goes with a property may wait for a thread that reads another property of the same source")
    func lettingGoWhileReading() {
        let source = MutableProperty(1)
        let double = source.map { $0 * 2 }
        let read = Shared(0)
        @Sendable func readElsewhere() {
            let isRead = onThread {
                source.value = 2
                read.value = double.value
            }
            // It would never come if this thread held what that one waits for.
            _ = isRead.wait(timeout: .now() + 30)
            read.modify { $0 += 1 }
        }
        do {
            _ = source.map { [last = AtRelease(readElsewhere)] number in
                last.touch()
                return number
            }
            .map { $0 + 1 }
        }
        #expect(read.value == 5)
    }

    @Test("An observer reads a property deep in a row, one part of which is a type of the user's")
    func deepRow() {
        let custom = Custom(1)
        let one = MutableProperty(1)
        var row = one.map { $0 }
        for _ in 0..<40 { row = row.combineLatest(with: one).map { $0.0 } }
        let last = row.combineLatest(with: custom).map { $0.0 + $0.1 }
        let read = Log<Int>()
        let observation = last.signal.observeValues { _ in read.add(last.value) }
        custom.inner.value = 2
        #expect(read.entries == [3])
        observation?.dispose()
    }

    @Test("A property of two is made while another thread is between them")
    func makingOfTwo() {
        let isBetween = DispatchSemaphore(value: 0)
        let changed = DispatchSemaphore(value: 0)
        // Released where the values of both run together.
        let first = MutableProperty(
            AtRelease {
                isBetween.signal()
                yieldForAMoment()
            })
        let second = Custom(2) {
            Thread.detachNewThread {
                first.modify { $0 = AtRelease {} }
                changed.signal()
            }
            isBetween.wait()
        }
        let both = first.combineLatest(with: second)
        #expect(both.value.1 == 2)
        changed.wait()
        #expect(both.value.0 === first.value)
    }

    @Test(
        "A property of several is as new as each, although another thread is changing another of them")
    func deepRead() {
        let (held, other) = (MutableProperty(1), MutableProperty(1))
        let (heldIsInside, letHeldGo) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (otherIsInside, letOtherGo) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (heldIsDone, otherIsDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (willRead, isRead) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let part = held.map { number -> Int in
            if number == 2 {
                heldIsInside.signal()
                letHeldGo.wait()
            }
            return number
        }
        let both = other.combineLatest(with: part)
        let last = both.map { pair -> Int in
            if pair.0 == 2, pair.1 == 1 {
                otherIsInside.signal()
                letOtherGo.wait()
            }
            return pair.0
        }
        Thread.detachNewThread {
            held.value = 2
            heldIsDone.signal()
        }
        heldIsInside.wait()
        // From here on the first thread is about to bring `both` up to date.
        let read = Shared(0)
        Thread.detachNewThread {
            willRead.signal()
            read.value = both.value.1
            isRead.signal()
        }
        willRead.wait()
        yieldForAMoment()
        Thread.detachNewThread {
            other.value = 2
            otherIsDone.signal()
        }
        otherIsInside.wait()
        letHeldGo.signal()
        heldIsDone.wait()
        yieldForAMoment()
        letOtherGo.signal()
        otherIsDone.wait()
        isRead.wait()
        #expect(read.value == 2)
        #expect(last.value == 2)
    }

    @Test("A property made while a change is on its way to its source has that change too")
    func madeMeanwhile() {
        let source = MutableProperty(1)
        let change = Halt()
        let part = source.map { number -> Int in
            if number == 2 { change.hold() }
            return number
        }
        let done = onThread { source.value = 2 }
        change.waitUntilHeld()
        // The change has not arrived at `part`, but it is already in the lane.
        let mapped = part.map { $0 * 10 }
        let combined = part.combineLatest(with: mapped)
        let previous = part.combinePrevious(0)
        let flattened = part.flatMap(.latest) { number in mapped.map { $0 + number } }
        let log = Log<Int>()
        let observation = mapped.signal.observeValues { log.add($0) }
        change.letGo()
        done.wait()
        #expect(mapped.value == 20)
        #expect(combined.value == (2, 20))
        #expect(previous.value == (1, 2))
        #expect(flattened.value == 22)
        #expect(log.entries == [20])
        observation?.dispose()
    }

    @Test("A property made of others by flatMap is as new as the inner one that was read before it")
    func innerRead() {
        let (outer, source) = (MutableProperty(1), MutableProperty(1))
        let change = Halt()
        let inner = source.map { number -> Int in
            if number == 2 { change.hold() }
            return number
        }
        let flattened = outer.flatMap(.latest) { _ in inner }
        let mapped = flattened.map { $0 * 10 }
        let done = onThread { source.value = 2 }
        change.waitUntilHeld()
        let read = Shared((0, 0))
        let isRead = onThread {
            guard source.value == 2 else { return }
            read.value = (flattened.value, mapped.value)
        }
        yieldForAMoment()
        change.letGo()
        done.wait()
        isRead.wait()
        #expect(read.value == (2, 20))
    }

    @Test("A property of one of this module and one of the user's is as new as the former, although the latter changes")
    func besideCustom() {
        let (source, custom) = (MutableProperty(1), Custom(1))
        let change = Halt()
        let both = source.combineLatest(with: custom)
        let mapped = both.map { pair -> Int in
            if pair.1 == 2, pair.0 == 1 { change.hold() }
            return pair.0
        }
        let done = onThread { custom.inner.value = 2 }
        change.waitUntilHeld()
        let read = Shared((0, 0))
        let isRead = onThread {
            source.value = 2
            read.value = (both.value.0, mapped.value)
        }
        yieldForAMoment()
        change.letGo()
        done.wait()
        isRead.wait()
        #expect(read.value == (2, 2))
    }
}

/// Runs `body` on a thread of its own. The result is signalled when it has returned.
private func onThread(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        body()
        done.signal()
    }
    return done
}

/// A place in which one thread waits until another one lets it go.
private final class Halt: Sendable {
    private let isHeld = DispatchSemaphore(value: 0)
    private let mayGo = DispatchSemaphore(value: 0)

    func hold() {
        isHeld.signal()
        mayGo.wait()
    }

    func waitUntilHeld() { isHeld.wait() }
    func letGo() { mayGo.signal() }
}

/// Lets other threads go on for a moment. A test must pass also if they do not.
private func yieldForAMoment() {
    let end = ContinuousClock.now + .milliseconds(20)
    repeat { sched_yield() } while ContinuousClock.now < end
}
