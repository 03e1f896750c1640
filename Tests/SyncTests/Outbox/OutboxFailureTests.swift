import Feedback
import FeedbackTesting
import Foundation
import Networking
import Persistence
import Testing

@testable import Sync

/// An outbox as it runs, with a server that fails in all ways.
struct OutboxFailureTests {
    @Test(
        "Over a server that is lost, busy and loses answers, each write is done once, and those of one object in their order",
        arguments: SimulatedServer.Kind.allCases)
    func failures(_ kind: SimulatedServer.Kind) async throws {
        let server = FailingServer(kind)
        let database = try SQLiteDatabase(.memory)
        let outbox = try Outbox(in: database) { configuration in
            (configuration.probeInterval, configuration.retryInterval) = (.milliseconds(2), .milliseconds(2))
        }
        let notes = try SQLiteStore(Note.schema, in: database)
        let rules = OutboxRules(
            schema: Note.schema, versionColumn: kind.versionColumn, serverRemembersKeys: server.remembersKeys)
        let (changes, observer) = Signal<Void, NoError>.pipe()
        let channel = try TableChannel(
            rules: rules, objects: notes, remote: server, resolve: \.usualResolution, outbox: outbox,
            changeObserver: observer)
        try outbox.add(channel)

        var random = SeededGenerator(seed: 7)
        for value in 1...500 {
            // Most are to one of many notes, so that they are made ready ahead; some to one of few, so that they queue.
            let id = Int.random(in: 0..<(random.chance(70) ? 100 : 4), using: &random)
            let write = OutboxRules<Note>.Change.upsert(Note(id: id, title: value, body: 0, version: 0))
            try outbox.write([write]) { change, number, transaction throws(StoreError) in
                try rules.record(
                    change, number: number, key: UUID(), at: Date(), in: channel.tables(transaction))
            }
            if random.chance(5) { await Task.yield() }
        }
        await eventually("all is sent") { outbox.status.value.isInStep }

        let end = server.end
        #expect(outbox.parked.value.isEmpty)
        #expect(end.doubled == nil)
        #expect(end.done.count == 500)
        #expect(end.order.values.allSatisfy { $0 == $0.sorted() })
        #expect(Dictionary(uniqueKeysWithValues: try await notes.all().result().map { ($0.id, $0) }) == end.notes)
        #expect(try await outbox.rows.all().result().isEmpty)
        withExtendedLifetime(changes) {}
    }

    @Test("While a server answers questions and fails to do writes, each answer lets one write be tried, and no more")
    func readOnlyServer() async throws {
        let scheduler = TestScheduler()
        let sent = Locked<[Int]>([])
        let isBusy = Locked(true)
        let outbox = try Outbox(in: SQLiteDatabase(.memory), on: scheduler)
        let requests = try DurableRequests<Int>("numbers", in: outbox) { number, _ throws(CoreError) in
            sent.withLock { $0.append(number) }
            if isBusy.withLock({ $0 }) { throw .status(StatusFailure(code: 503)) }
        }
        for number in 1...20 { try await requests.send(number, about: "\(number)") }
        await outbox.settle(scheduler)
        let since = try #require(outbox.status.value.offlineSince)
        for _ in 1...5 {
            let before = sent.withLock(\.count)
            scheduler.advance(by: .milliseconds(1))
            outbox.noteSuccess()
            await outbox.settle(scheduler)
            #expect(sent.withLock(\.count) == before + 1)
            #expect(outbox.status.value.offlineSince == since)
            #expect(outbox.status.value.problem != nil)
        }
        isBusy.withLock { $0 = false }
        outbox.noteSuccess()
        await outbox.settle(scheduler)
        #expect(outbox.status.value.isInStep)
        #expect(outbox.status.value.offlineSince == nil)
    }

    @Test("While a server fails, a write can be tried before its time, alone")
    func probing() async throws {
        let scheduler = TestScheduler()
        let sent = Locked(0)
        let outbox = try Outbox(in: SQLiteDatabase(.memory), on: scheduler)
        let requests = try DurableRequests<Int>("numbers", in: outbox) { _, _ throws(CoreError) in
            sent.withLock { $0 += 1 }
            throw .status(StatusFailure(code: 503))
        }
        for number in 1...10 { try await requests.send(number, about: "\(number)") }
        await outbox.settle(scheduler)
        #expect(outbox.status.value.offlineSince != nil)
        for _ in 1...5 {
            let before = sent.withLock { $0 }
            scheduler.advance(by: .milliseconds(1))
            outbox.probe()
            await outbox.settle(scheduler)
            #expect(sent.withLock { $0 } == before + 1)
        }
    }
}

private final class FailingServer: OutboxTable {
    private struct State {
        var server: SimulatedServer
        var random = SeededGenerator(seed: 3)
    }

    let remembersKeys: Bool
    private let state: Locked<State>

    init(_ kind: SimulatedServer.Kind) {
        remembersKeys = kind == .keys
        state = Locked(State(server: SimulatedServer(kind)))
    }

    var end: SimulatedServer { state.withLock(\.server) }

    func send(_ write: OutboxWrite<Note>, key: UUID) async -> OutboxAnswer<Note> {
        let (chance, delay) = state.withLock { state in
            (Int.random(in: 0..<100, using: &state.random), Int.random(in: 0..<20, using: &state.random))
        }
        for _ in 0..<delay { await Task.yield() }
        switch chance {
        case 0..<2: return .unreachable(reason: "no network", mayBeDone: false)
        case 2..<4: return .unreachable(reason: "the request was lost")
        case 4..<6: return .busy(reason: "busy")
        default: break
        }
        let base = Note(id: write.id, title: 0, body: 0, version: 0)
        // Each write has a title of its own.
        let tag = NoteTag(device: 0, number: write.applied(to: base)?.title ?? 0, decision: 0)
        let answer = state.withLock { $0.server.handle(write, key: key, tag: tag, refuses: false) }
        return chance < 10 ? .unreachable(reason: "the answer was lost") : answer
    }
}
