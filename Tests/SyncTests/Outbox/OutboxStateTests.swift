import Foundation
import Persistence
import Testing

@testable import Sync

struct OutboxStateTests {
    private let now = Date(timeIntervalSinceReferenceDate: 0)
    private let configuration = Outbox.Configuration()

    private func row(_ number: Int) -> OutboxRow {
        OutboxRow(number: number, entity: "\(number)", channel: "numbers", body: Data(), key: UUID(), date: now)
    }

    /// A state in which the server answers, and writes wait, each to an object of its own.
    private func state(_ numbers: ClosedRange<Int>) -> OutboxState {
        var state = OutboxState()
        state.link.succeeded(at: now)
        for number in numbers { state.queue.restore(number, of: OutboxEntity("\(number)"), isParked: false) }
        return state
    }

    @Test("The longest time between two probes is that of the configuration")
    func probeInterval() throws {
        let outbox = try Outbox(in: SQLiteDatabase(.memory)) { $0.probeInterval = .seconds(7) }
        #expect(outbox.state.withLock { $0.link.backoff.limit } == 7)
    }

    @Test("A step that the disk could not keep is taken again, whole")
    func undo() {
        var state = state(1...3)
        let first = state.nextStep(at: now, configuration)
        #expect(first.numbers == [1, 2, 3])
        state.undo(first, because: .full(file: "outbox.sqlite"))
        #expect((1...3).allSatisfy { state.queue.phase(of: $0) == .waiting })
        #expect(state.problem != nil)
        let second = state.nextStep(at: now, configuration)
        #expect(second.numbers == [1, 2, 3])

        state.ready = second.numbers.map(row)[...]
        let sent = state.nextRequests(at: now, configuration)
        #expect(sent.map(\.number) == [1, 2, 3])
        for row in sent.prefix(2) {
            state.underWay.remove(row.number)
            state.results.append((row, OutboxResult(.answered) { _ in .done }))
        }
        let third = state.nextStep(at: now, configuration)
        state.results.append((sent[2], OutboxResult(.answered) { _ in .done }))
        state.undo(third, because: .full(file: "outbox.sqlite"))
        #expect(state.nextStep(at: now, configuration).ended.map(\.row.number) == [1, 2, 3])
    }

    @Test("What is made ready is limited in bytes, those of the server's objects included")
    func readyBytes() {
        var state = state(1...4)
        var large = row(5)
        (large.body, large.truth) = (Data(count: 1_000_000), Data(count: 2_000_000))
        state.ready = [large]
        #expect(state.nextStep(at: now, configuration).room == 1_000_000)
    }

    @Test("Writes that were made ready are not sent once the network is lost, and are taken again when it is back")
    func withdrawal() {
        var state = state(1...40)
        let step = state.nextStep(at: now, configuration)
        #expect(step.numbers.count == 40)
        state.ready = step.numbers.map(row)[...]
        let sent = state.nextRequests(at: now, configuration)
        #expect(sent.count == configuration.width)
        #expect(state.nextRequests(at: now, configuration).isEmpty)

        state.underWay.remove(1)
        state.results.append((sent[0], OutboxResult(.unreachable(reason: "no network")) { _ in .postponed }))
        let lost = state.nextStep(at: now, configuration)
        #expect(lost.numbers.isEmpty)
        #expect(lost.withdrawn.map(\.number) == Array(17...40))
        state.apply(.postponed, lost.ended[0].result.reach, to: 1, at: now, configuration)
        for row in lost.withdrawn { state.queue.sendAgain(row.number) }
        #expect(state.nextRequests(at: now, configuration).isEmpty)
        #expect(state.nextStep(at: now, configuration).isEmpty)

        for row in sent.dropFirst() {
            state.underWay.remove(row.number)
            state.apply(.done, .answered, to: row.number, at: now, configuration)
        }
        #expect(Set(state.nextStep(at: now, configuration).numbers) == Set([1] + Array(17...40)))
    }
}
