import Foundation
import Persistence
import Testing

@testable import Sync

/// The cost of an answer while many writes to the same object wait. It is counted in rows that are read.
struct OutboxCostTests {
    private static let id = 1

    private func rules(_ versionColumn: Int?) -> OutboxRules<Note> {
        OutboxRules(schema: Note.schema, versionColumn: versionColumn, serverRemembersKeys: true)
    }

    /// A disk with waiting writes that change the title, and sometimes the body.
    private func disk(_ count: Int, _ rules: OutboxRules<Note>) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        disk.notes[Self.id] = Note(id: Self.id, title: 0, body: 0, version: 0)
        for number in 1...count {
            let body = number.isMultiple(of: 400) ? number : try #require(disk.notes[Self.id]).body
            let note = Note(id: Self.id, title: number, body: body, version: 0)
            try #require(
                try rules.record(.update(note), number: number, key: UUID(), at: Date(), in: disk) != nil)
        }
        return disk
    }

    @Test(
        "A write is read a few times, however many wait behind it and whatever columns the server sets",
        arguments: [1_000, 10_000], [nil, 3])
    func serverSetsColumns(count: Int, versionColumn: Int?) throws {
        let rules = rules(versionColumn)
        let disk = try disk(count, rules)
        disk.rowsRead = 0
        for number in 1...count {
            // The server sets the body with each write that leaves it alone.
            let body = number.isMultiple(of: 400) ? number : -number
            let answer = Note(id: Self.id, title: number, body: body, version: versionColumn == nil ? 0 : number)
            let settlement = try rules.settle(
                number, of: rules.entity(Self.id), .accepted(answer), key: UUID(), in: disk)
            try #require(settlement == .done)
            try #require(disk.rowsRead <= 3 * number + count)
            // Some write that waits sets the body until the last one of those is done.
            let last = count - count % 400
            let shown = number < last ? last : body
            try #require(disk.notes[Self.id]?.title == count)
            try #require(disk.notes[Self.id]?.body == shown)
        }
        #expect(disk.rows.isEmpty)
    }

    @Test("Columns that a write was to set come from the server after that write was given up")
    func givenUp() throws {
        let rules = rules(nil)
        let disk = try disk(401, rules)
        func answer(_ number: Int) throws {
            let answer = Note(id: Self.id, title: number, body: -number, version: 0)
            _ = try rules.settle(number, of: rules.entity(Self.id), .accepted(answer), key: UUID(), in: disk)
        }
        try answer(1)
        #expect(disk.notes[Self.id]?.body == 400)
        try rules.giveUp(400, of: rules.entity(Self.id), in: disk)
        try answer(2)
        #expect(disk.notes[Self.id] == Note(id: Self.id, title: 401, body: -2, version: 0))
    }

    @Test("After a later deletion nothing is shown, and after a later insertion nothing of the server's object")
    func replaced() throws {
        let rules = rules(nil)
        let disk = try disk(2, rules)
        _ = try rules.record(.delete(Self.id), number: 3, key: UUID(), at: Date(), in: disk)
        func answer(_ number: Int) throws {
            let answer = Note(id: Self.id, title: number, body: -number, version: 0)
            _ = try rules.settle(number, of: rules.entity(Self.id), .accepted(answer), key: UUID(), in: disk)
        }
        try answer(1)
        #expect(disk.notes[Self.id] == nil)
        let new = Note(id: Self.id, title: 9, body: 9, version: 0)
        _ = try rules.record(.insert(new), number: 4, key: UUID(), at: Date(), in: disk)
        try answer(2)
        #expect(disk.notes[Self.id] == new)
    }

    @Test("The queue returns the writes after one")
    func laterWrites() {
        var queue = OutboxQueue()
        let entity = OutboxEntity(channel: "notes", name: "notes/1")
        for number in [2, 3, 5, 8] { queue.restore(number, of: entity, isParked: false) }
        #expect(queue.writes(to: entity, after: .min) == [2, 3, 5, 8])
        #expect(queue.writes(to: entity, after: 3) == [5, 8])
        #expect(queue.next(at: Date()) == 2)
        queue.remove(2)
        queue.remove(5)
        #expect(queue.writes(to: entity, after: 2) == [3, 8])
        #expect(queue.writes(to: entity, after: 8) == [])
        #expect(queue.writes(to: entity, after: .max) == [])
        #expect(queue.next(at: Date()) == 3)
        #expect(queue.successor(of: 3) == 8)
    }
}
