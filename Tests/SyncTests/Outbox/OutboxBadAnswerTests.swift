import Feedback
import FeedbackTesting
import Foundation
import Networking
import Persistence
import Testing

@testable import Sync

/// Answers and values that cannot be stored. They concern one write, and hold up no others.
struct OutboxBadAnswerTests {
    private let lease = Lease(id: 1, name: "house", end: .distantFuture)
    /// The server's object, with a date that no row can hold.
    private let endless = Lease(id: 1, name: "theirs", end: Date(timeIntervalSinceReferenceDate: 1e15))

    @Test("A server's object that cannot be stored as the base of a write holds up neither the write nor others")
    func conflictWithEndless() async throws {
        let answers = Locked(0)
        let leases = try Leases([lease]) { [endless] write in
            let isFirst = answers.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst ? .conflict(endless) : .accepted(write.applied(to: endless))
        } resolve: { _ in
            .keepMine
        }
        try leases.write(.update(Lease(id: 1, name: "mine", end: lease.end)))
        try await leases.expectOthersAreSent()
        #expect(leases.outbox.status.value.isInStep)
        #expect(try leases.objects == [Lease(id: 1, name: "mine", end: endless.end)])
    }

    @Test("An answer that cannot be stored below later writes does not hold them up")
    func acceptedBelowLater() async throws {
        let leases = try Leases([lease]) { [endless] in .accepted($0.applied(to: endless)) }
        try leases.write(
            .update(Lease(id: 1, name: "mine", end: lease.end)), .update(Lease(id: 1, name: "last", end: lease.end)))
        try await leases.expectOthersAreSent()
        #expect(leases.outbox.status.value.isInStep)
        #expect(try leases.objects == [Lease(id: 1, name: "last", end: endless.end)])
    }

    @Test("A conflict that is resolved with an object which cannot be stored is parked")
    func mergedWithEndless() async throws {
        let leases = try Leases([lease]) { [lease] _ in
            .conflict(Lease(id: 1, name: "theirs", end: lease.end))
        } resolve: { [endless] _ in
            .merge(endless)
        }
        try leases.write(.update(Lease(id: 1, name: "mine", end: lease.end)))
        try await leases.expectOthersAreSent()
        #expect(leases.outbox.parked.value.map(\.cause) == [.refused])
        #expect(leases.outbox.parked.value.first?.reason.contains("a value that no server can keep") == true)
    }

    @Test("A conflict that is resolved with another object is parked, and that object stays as it is")
    func mergedWithOther() async throws {
        let other = Lease(id: 2, name: "other", end: lease.end)
        let sent = Locked<[Int]>([])
        let leases = try Leases([lease, other]) { [lease] write in
            sent.withLock { $0.append(write.id) }
            return .conflict(Lease(id: write.id, name: "theirs", end: lease.end))
        } resolve: { _ in
            .merge(Lease(id: 2, name: "merged", end: .distantFuture))
        }
        let mine = Lease(id: 1, name: "mine", end: lease.end)
        try leases.write(.update(mine))
        try await leases.expectOthersAreSent()
        #expect(sent.withLock(\.self) == [1])
        #expect(leases.outbox.parked.value.map(\.cause) == [.refused])
        #expect(leases.outbox.parked.value.first?.reason == "a conflict of leases 1 was resolved with 2")
        #expect(try leases.objects == [mine, other])
    }

    @Test("A result that the local table does not allow ends its write")
    func forbiddenLocally() async throws {
        let leases = try Leases([lease]) { .accepted($0.applied(to: Lease(id: 1, name: "", end: .distantPast))) }
        try leases.outbox.database.execute(
            """
            CREATE TRIGGER forbid BEFORE INSERT ON leases WHEN NEW.end < -1e10 BEGIN SELECT RAISE(ABORT, 'too early'); END
            """)
        try leases.write(.update(Lease(id: 1, name: "mine", end: lease.end)))
        try await leases.expectOthersAreSent()
        #expect(leases.outbox.status.value.isInStep)
        #expect(try leases.objects == [Lease(id: 1, name: "mine", end: lease.end)])
    }

    @Test(
        "An answer with another object than that of the write is parked, so that not both are shown",
        arguments: [false, true])
    func otherObject(isConflict: Bool) async throws {
        let leases = try Leases([]) { write in
            let other = Lease(id: 70, name: "house", end: .distantFuture)
            return isConflict ? .conflict(other) : .accepted(other)
        } resolve: { _ in
            .keepTheirs
        }
        try leases.write(.insert(lease))
        try await leases.expectOthersAreSent()
        #expect(leases.outbox.parked.value.map(\.cause) == [.refused])
        #expect(leases.outbox.parked.value.first?.reason == "the server answered with leases 70 instead of 1")
        #expect(try leases.objects == [lease])
    }

    @Test("A pull brings other objects, too, if an object below a waiting write cannot be stored as its base")
    func pullBelowWaiting() throws {
        let leases = try Leases([lease]) { _ in .unreachable(reason: "no network") }
        try leases.write(.update(Lease(id: 1, name: "mine", end: lease.end)))
        let other = Lease(id: 2, name: "other", end: lease.end)
        try leases.pull([endless, other])
        #expect(try leases.objects == [Lease(id: 1, name: "mine", end: lease.end), other])
        // The server's object comes with the next pull.
        let number = try #require(leases.outbox.rows.answer(leases.outbox.rows.all()).first).number
        try leases.giveUp(number)
        try leases.pull([endless, other])
        #expect(try leases.objects == [endless, other])
    }

    @Test("An object that cannot be stored as the base of a write can be changed")
    func changingEndless() async throws {
        let leases = try Leases([endless]) { [endless] in .accepted($0.applied(to: endless)) }
        try leases.write(.update(Lease(id: 1, name: "mine", end: endless.end)))
        try await leases.expectOthersAreSent()
        #expect(leases.outbox.status.value.isInStep)
        #expect(try leases.objects == [Lease(id: 1, name: "mine", end: endless.end)])
    }
}

private struct Lease: Identifiable, Equatable, Sendable {
    var id: Int
    var name: String
    var end: Date

    static let schema = Schema<Lease>(
        "leases", Lease.init, Column("id", \.id), Column("name", \.name), Column("end", \.end))
}

/// A table of leases in an outbox that also sends other requests.
private struct Leases {
    let outbox: Outbox
    private let store: SQLiteStore<Lease>
    private let channel: TableChannel<Lease>
    private let requests: DurableRequests<Int>
    private let changes: Signal<Void, NoError>

    init(
        _ leases: [Lease], answer: @escaping @Sendable (OutboxWrite<Lease>) -> OutboxAnswer<Lease>,
        resolve: @escaping TableChannel<Lease>.Resolve = \.usualResolution
    ) throws {
        let database = try SQLiteDatabase(.memory)
        outbox = try Outbox(in: database)
        store = try SQLiteStore(Lease.schema, in: database)
        try store.perform { transaction throws(StoreError) in try transaction.insert(leases) }
        let (changes, observer) = Signal<Void, NoError>.pipe()
        self.changes = changes
        channel = try TableChannel(
            rules: OutboxRules(schema: Lease.schema, versionColumn: nil, serverRemembersKeys: true), objects: store,
            remote: AnsweringTable(answer: answer), resolve: resolve, outbox: outbox, changeObserver: observer)
        try outbox.add(channel)
        requests = try DurableRequests("others", in: outbox) { _, _ throws(CoreError) in }
    }

    var objects: [Lease] {
        get throws { try store.answer(store.sorted(by: \.id)) }
    }

    func write(_ changes: OutboxRules<Lease>.Change...) throws {
        try outbox.write(changes) { change, number, transaction throws(StoreError) in
            try channel.rules.record(
                change, number: number, key: UUID(), at: Date(), in: channel.tables(transaction))
        }
    }

    /// Sends another request, and waits until nothing waits.
    func expectOthersAreSent() async throws {
        try await requests.send(1, about: "other")
        await eventually("all is sent or parked") { outbox.status.value.waiting == 0 }
        #expect(outbox.status.value.problem == nil)
    }

    func pull(_ leases: [Lease]) throws {
        try outbox.rows.perform { transaction throws(StoreError) in
            _ = try channel.rules.merge(
                leases, replacing: [], settledMeanwhile: [], hasWrites: { _ in true }, in: channel.tables(transaction))
        }
    }

    func giveUp(_ number: Int) throws {
        try outbox.rows.perform { transaction throws(StoreError) in
            guard let row = try transaction.object(withId: number) else { return }
            _ = try channel.giveUp(row, in: transaction)
        }
    }
}

private struct AnsweringTable: OutboxTable {
    let answer: @Sendable (OutboxWrite<Lease>) -> OutboxAnswer<Lease>

    var remembersKeys: Bool { true }
    func send(_ write: OutboxWrite<Lease>, key: UUID) async -> OutboxAnswer<Lease> { answer(write) }
}
