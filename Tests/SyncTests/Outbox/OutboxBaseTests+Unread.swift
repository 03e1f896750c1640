import Testing

@testable import Sync

extension OutboxBaseTests {
    @Test(
        """
        Behind a write that is done with an object which cannot be read, a refused write that is given up leaves what the first \
        one has made of the known object; if that cannot be read either, the object stays until the next pull
        """, arguments: [true, false])
    func givenUpBehindUnread(isKnown: Bool) throws {
        let rules = rules()
        disk.notes[1] = note(1, 1, 1)
        disk.cursor = PullCursor(id: "notes", changes: 7, deletions: 7)
        try record(.update(note(2, 1, 1)), 1, rules)
        try record(.update(note(2, 3, 1)), 2, rules)
        if !isKnown {
            var first = try #require(disk.rows[1])
            first.truth = .unknownObject
            disk.put(first)
        }
        let unreadable = UnreadableObject(table: "notes", objectID: "1", column: "body", found: "null")
        try settle(1, .acceptedUnreadable(unreadable), rules)
        try settle(2, .refused(reason: "no"), rules)
        try rules.giveUp(2, of: entity, in: disk)
        #expect(disk.rows.isEmpty)
        #expect(disk.notes[1] == (isKnown ? note(2, 1, 1) : note(2, 3, 1)))
        // Whether the next pull begins anew.
        #expect(disk.cursor?.changes == (isKnown ? 7 : 0))
    }
}

// MARK: - Objects that the server no longer has

extension OutboxBaseTests {
    @Test("A change that adds its object again has all values of the object, and is based on none")
    func addedAgain() throws {
        var write = try #require(
            OutboxWrite.update(from: note(1, 1, 1), to: note(10, 11, 1), Note.schema, versionColumn: 3))
        write.rebase(on: note(2, 2, 2), meaning: nil, isNamed: false)
        write.firstVersion = .integer(1)
        #expect(!write.unseen.isEmpty)
        write.rebase(on: nil, meaning: note(10, 11, 1), isNamed: false)
        #expect(write.kind == .upsert)
        #expect(write.new == Note.schema.values(of: note(10, 11, 1)))
        #expect(write.old.allSatisfy { $0 == nil })
        #expect(write.version == nil && write.firstVersion == nil && write.unseen.isEmpty)
    }

    @Test("A deletion of an object that the server no longer has stays one")
    func deletedAgain() throws {
        var write = OutboxWrite.delete(note(1, 1, 1), Note.schema, versionColumn: 3)
        write.firstVersion = .integer(1)
        write.rebase(on: nil, meaning: note(10, 11, 1), isNamed: false)
        #expect(write.kind == .delete && write.firstVersion == nil)
        #expect(write.old.contains { $0 != nil })
    }
}
