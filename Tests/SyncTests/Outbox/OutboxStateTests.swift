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
        #expect(outbox.state.withLock { $0.link.probeDelay.limit } == 7)
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

    @Test("The writes that are made ready are limited in bytes, those of the server's objects included")
    func readyBytes() {
        var state = state(1...4)
        var large = row(5)
        (large.body, large.truth) = (Data(count: 1_000_000), Data(count: 2_000_000))
        state.ready = [large]
        #expect(state.nextStep(at: now, configuration).room == 1_000_000)
    }

    @Test("While the server answers, many writes are made ready for each request; before, only those that can be sent")
    func room() {
        let width = configuration.width
        var answered = state(1...600)
        var unknown = answered
        unknown.link = OutboxLink()
        #expect(answered.nextStep(at: now, configuration).numbers == Array(1...32 * width))
        #expect(unknown.nextStep(at: now, configuration).numbers == Array(1...width))

        (answered, unknown) = (state(1...600), state(1...600))
        unknown.link = OutboxLink()
        answered.ready = (601...605).map(row)[...]
        answered.underWay = [606, 607, 608]
        (unknown.ready, unknown.underWay) = (answered.ready, answered.underWay)
        #expect(answered.nextStep(at: now, configuration).numbers.count == 32 * width - 8)
        #expect(unknown.nextStep(at: now, configuration).numbers.count == width - 8)
    }

    @Test("Another step follows at once if writes wait, and requests for them can begin")
    func canGoOn() {
        let width = configuration.width
        var state = state(1...3)
        #expect(state.canGoOn(at: now, configuration))
        state.underWay = Set(100..<100 + width - 1)
        #expect(state.canGoOn(at: now, configuration))
        state.ready = [row(99)]
        #expect(!state.canGoOn(at: now, configuration))
        (state.underWay, state.ready) = ([], [])
        state.waitsForDisk = true
        #expect(!state.canGoOn(at: now, configuration))
        state.waitsForDisk = false
        state.link.failed(at: now, isNetwork: true)
        #expect(!state.canGoOn(at: now, configuration))
        #expect(!OutboxState().canGoOn(at: now, configuration))
    }

    @Test("Answers are stored together, unless many wait to be stored, or few writes are ready")
    func urgency() {
        let width = configuration.width
        var state = OutboxState()
        state.ready = (1...4 * width).map(row)[...]
        #expect(!state.isStepUrgent(configuration))
        state.results = (1..<16 * width).map { (row($0), OutboxResult(.answered) { _ in .done }) }
        #expect(!state.isStepUrgent(configuration))
        state.results.append((row(0), OutboxResult(.answered) { _ in .done }))
        #expect(state.isStepUrgent(configuration))
        state.results = []
        state.ready.removeFirst()
        #expect(state.isStepUrgent(configuration))
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
