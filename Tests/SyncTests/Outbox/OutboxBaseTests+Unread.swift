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
