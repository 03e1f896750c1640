import Testing

@testable import Sync

extension OutboxBaseTests {
    @Test("A pulled deletion removes its object, unless that was changed after it")
    func pulledDeletion() throws {
        let rules = OutboxRules(schema: Note.schema, versionColumn: 3, serverRemembersKeys: false, isNumbered: true)
        disk.show(note(1, 1, 5), id: 1)
        #expect(try rules.merge([Deletion(id: 1, number: 4)], in: disk) == nil)
        #expect(disk.notes[1] == note(1, 1, 5))
        #expect(try rules.merge([Deletion(id: 1, number: 5)], in: disk) == nil)
        #expect(disk.notes[1] == nil)
    }

    @Test(
        """
        A value that an earlier write has hidden on the screen is not replaced unseen by a third one, whether the earlier \
        one was done or given up
        """, arguments: [true, false])
    func hiddenFromThirdWrite(isDone: Bool) throws {
        let rules = rules()
        disk.notes[1] = note(1, 2, 1)
        try record(.update(note(1, 20, 1)), 1, rules)
        try record(.update(note(10, 20, 1)), 2, rules)
        // Both values are hidden by the writes, and the third write has the version of this object.
        let theirs = note(7, 8, 8)
        try pull(theirs, rules)
        #expect(disk.notes[1] == note(10, 20, 8))
        try record(.update(note(30, 30, 8)), 3, rules)
        if isDone {
            try settle(1, .accepted(note(1, 20, 7)), rules)
        } else {
            try settle(1, .refused(reason: "invalid"), rules)
            try rules.giveUp(1, of: entity, in: disk)
        }
        try settle(2, .conflict(theirs), rules)
        let result = note(10, 8, 9)
        #expect(try isAccepted(by: theirs, rules))
        try settle(2, .accepted(result), rules)
        #expect(try !isAccepted(by: result, rules))
        #expect(try conflict(with: result, rules)?.columns == ["body"])
    }
}
