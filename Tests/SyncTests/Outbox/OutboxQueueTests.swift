import Foundation
import Testing

@testable import Sync

struct OutboxQueueTests {
    private let now = Date(timeIntervalSinceReferenceDate: 0)

    /// A queue of writes that are on the disk: their entities, numbered from 1.
    private func queue(_ entities: String...) -> OutboxQueue {
        var queue = OutboxQueue()
        for (index, entity) in entities.enumerated() {
            queue.reserve(index + 1, of: OutboxEntity(entity))
            queue.commit(index + 1)
        }
        return queue
    }

    private func next(_ queue: inout OutboxQueue, at time: Date) -> Int? { queue.next(at: time) }

    @Test("The writes to one entity are sent one after the other, those to others side by side")
    func order() {
        var queue = queue("a", "a", "b")
        #expect(next(&queue, at: now) == 1)
        #expect(next(&queue, at: now) == 3)
        #expect(next(&queue, at: now) == nil)
        queue.remove(1)
        #expect(next(&queue, at: now) == 2)
        #expect(queue.waiting == 2)
        #expect((1...3).filter { queue.phase(of: $0) == .sending } == [2, 3])
    }

    @Test("A write is not sent before its transaction has ended, nor are those after it")
    func writing() {
        var queue = OutboxQueue()
        queue.reserve(1, of: "a")
        queue.reserve(2, of: "a")
        queue.commit(2)
        #expect(next(&queue, at: now) == nil)
        queue.commit(1)
        #expect(next(&queue, at: now) == 1)
    }

    @Test("A write whose transaction failed leaves nothing behind")
    func failedTransaction() {
        var queue = OutboxQueue()
        queue.reserve(1, of: "a")
        queue.remove(1)
        #expect(!queue.hasWrites(to: "a"))
        #expect(queue.waiting == 0)
    }

    @Test("A parked write holds up those to its entity, and no others")
    func parking() {
        var queue = queue("a", "a", "b")
        _ = queue.next(at: now)
        queue.park(1)
        #expect(next(&queue, at: now) == 3)
        #expect(next(&queue, at: now) == nil)
        #expect((queue.waiting, queue.parked) == (2, 1))
        queue.release(1)
        #expect(next(&queue, at: now) == 1)
        #expect((queue.waiting, queue.parked) == (3, 0))
    }

    @Test("A write with which the server fails waits longer each time, and holds up no other entity")
    func postponing() {
        var queue = queue("a", "b")
        let doubling = DoublingDelay(first: 1, limit: 3)
        for delay in [1, 2, 3, 3] {
            let time = queue.nextDue ?? now
            #expect(next(&queue, at: time) == 1)
            queue.postpone(1, at: time, doubling)
            #expect(queue.nextDue == time.addingTimeInterval(Double(delay)))
            if delay == 1 { #expect(next(&queue, at: time) == 2) }
        }
        queue.hurry()
        #expect(next(&queue, at: now) == 1)
    }

    @Test("A limit below zero makes no delay")
    func negativeLimit() {
        #expect(DoublingDelay(first: 0.25, limit: -1).time(after: 1) == 0)
    }

    @Test("Writes that an earlier run has left behind keep their order and their phase")
    func restoring() {
        var queue = OutboxQueue()
        queue.restore(4, of: "a", isParked: true)
        queue.restore(5, of: "a", isParked: false)
        queue.restore(6, of: "b", isParked: false)
        #expect(next(&queue, at: now) == 6)
        #expect(next(&queue, at: now) == nil)
        #expect((queue.waiting, queue.parked) == (2, 1))
    }
}

struct OutboxLinkTests {
    private let now = Date(timeIntervalSinceReferenceDate: 0)

    @Test("A failure of the network closes the link until a probe, and the probes are never a second apart")
    func probing() {
        var link = OutboxLink()
        var time = now
        var delays: [TimeInterval] = []
        for _ in 0..<6 {
            link.failed(at: time, isNetwork: true)
            let next = link.nextProbe(after: time) ?? time
            delays.append(next.timeIntervalSince(time))
            time = next
        }
        #expect(delays.map { ($0 * 10).rounded() } == [1, 2, 4, 8, 8, 8])
        #expect(delays.allSatisfy { $0 > 0 && $0 < 1 })
        #expect(link.offlineSince == now)
        #expect(link.width(16) == 1)
        let wasOffline = link.succeeded(at: time)
        #expect(wasOffline)
        #expect(link.nextProbe(after: time) == nil)
        #expect((link.offlineSince, link.lastSuccess) == (nil, time))
    }

    @Test("A server that fails with one write is reached; one that fails with several in a row is not")
    func serverFailures() {
        var link = OutboxLink()
        link.failed(at: now, isNetwork: false)
        #expect(!link.isOffline)
        link.succeeded(at: now)
        for _ in 0..<2 { link.failed(at: now, isNetwork: false) }
        #expect(!link.isOffline)
        link.failed(at: now, isNetwork: false)
        #expect(link.isOffline)
    }

    @Test("Requests that fail together count once")
    func together() {
        var link = OutboxLink()
        for _ in 0..<10 { link.failed(at: now, isNetwork: true) }
        #expect(link.nextProbe(after: now) == now.addingTimeInterval(0.1))
    }

    @Test("While a probe is under way nothing is due, and after it the next one")
    func due() {
        var state = OutboxState()
        for number in 1...2 {
            state.queue.reserve(number, of: OutboxEntity("\(number)"))
            state.queue.commit(number)
        }
        _ = state.queue.next(at: now)
        state.apply(.postponed, .unreachable(reason: "cut"), to: 1, at: now, Outbox.Configuration())
        #expect(state.nextDate(after: now, Outbox.Configuration()) == now.addingTimeInterval(0.1))
        let later = now.addingTimeInterval(1)
        _ = state.queue.next(at: later)
        #expect(state.nextDate(after: later, Outbox.Configuration()) == nil)
    }
}

extension OutboxEntity: ExpressibleByStringLiteral {
    /// An entity of a channel that does not matter.
    init(_ name: String) { self.init(channel: "channel", name: name) }

    public init(stringLiteral name: String) { self.init(name) }
}
