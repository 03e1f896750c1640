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
}

/// Lets other threads go on for a moment. A test must pass also if they do not.
private func yieldForAMoment() {
    let end = ContinuousClock.now + .milliseconds(20)
    repeat { sched_yield() } while ContinuousClock.now < end
}
