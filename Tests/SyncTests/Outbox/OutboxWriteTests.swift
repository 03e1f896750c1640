import Foundation
import Persistence
import Testing

@testable import Sync

struct OutboxWriteTests {
    private let mine = Note(id: 1, title: 36, body: 37, version: 1)

    /// A change of both columns that is sent again, on top of an object that has one of the values already.
    private func rebased() throws -> OutboxWrite<Note> {
        let before = Note(id: 1, title: 13, body: 14, version: 1)
        var write = try #require(OutboxWrite.update(from: before, to: mine, Note.schema, versionColumn: 3))
        write.rebase(on: Note(id: 1, title: 36, body: 39, version: 3), meaning: mine, isNamed: true)
        return write
    }

    @Test("A write that is based on another object leaves alone the columns that have its values already")
    func columnsInStep() throws {
        #expect(try rebased().new == [nil, nil, .integer(37), nil])
        var done = try rebased()
        done.rebase(on: mine, meaning: mine, isNamed: true)
        #expect(done.isEmpty)
    }

    @Test("A change of an object that the server no longer has adds it again, and expects nothing of the server")
    func addedAgain() throws {
        var write = try rebased()
        write.addAgain(mine)
        #expect(write.new == Note.schema.values(of: mine))
        #expect(write.old == [nil, nil, nil, nil])
        #expect(write.version == nil)
    }

    @Test("A write loses its base only if the write that is gone has hidden the server's value on the screen")
    func hiddenValues() throws {
        func note(_ title: Int) -> Note { Note(id: 1, title: title, body: 14, version: 1) }
        func update(from before: Int, to after: Int) throws -> OutboxWrite<Note> {
            try #require(
                OutboxWrite.update(from: note(before), to: note(after), Note.schema, versionColumn: 3))
        }
        let gone = try update(from: 1, to: 13)
        func isLost(by theirs: Note) throws -> Bool {
            var write = try update(from: 13, to: 36)
            return write.loseBase(Note.schema.values(of: theirs), hiddenBy: gone)
        }
        #expect(try !isLost(by: note(13)))
        #expect(try isLost(by: note(50)))
    }

    @Test("A write that may have been done is not done again over a column that somebody else has changed since")
    func doneBefore() throws {
        let later = Note(id: 1, title: 53, body: 37, version: 5)
        #expect(try rebased().isDone(in: later))
        var write = try rebased()
        // As an earlier version of the program has kept it.
        (write.new[1], write.old[1]) = (.integer(36), .integer(36))
        #expect(write.contestedColumns(in: later, mayBeDone: true) == [1])
        #expect(write.contestedColumns(in: later) == [])
    }
}
