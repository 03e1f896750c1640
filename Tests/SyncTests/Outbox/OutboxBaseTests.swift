import Foundation
import Persistence
import Testing

@testable import Sync

/// The objects on which writes are based, while others change them: nothing is replaced that was neither on the screen nor
/// named in a conflict, and nothing conflicts with what this device has done.
struct OutboxBaseTests {
    let disk = SimulatedDisk()
    let entity = "notes/1"

    func rules(_ versionColumn: Int? = 3) -> OutboxRules<Note> {
        OutboxRules(schema: Note.schema, versionColumn: versionColumn, serverRemembersKeys: false)
    }

    func note(_ title: Int, _ body: Int, _ version: Int) -> Note {
        Note(id: 1, title: title, body: body, version: version)
    }

    func record(
        _ change: OutboxRules<Note>.Change, _ number: Int, _ rules: OutboxRules<Note>
    ) throws {
        _ = try #require(try rules.record(change, number: number, key: UUID(), at: Date(), in: disk))
    }

    func settle(_ number: Int, _ answer: OutboxAnswer<Note>, _ rules: OutboxRules<Note>) throws {
        let row = try #require(disk.rows[number])
        var resolution: WriteConflict<Note>.Resolution?
        if case let .conflict(current) = answer {
            resolution = try rules.conflict(of: row, with: current)?.usualResolution
        }
        _ = try rules.settle(number, of: entity, answer, resolution: resolution, key: UUID(), in: disk)
    }

    /// A pull brings an object of the server.
    func pull(_ theirs: Note, _ rules: OutboxRules<Note>) throws {
        try rules.merge(
            [theirs], replacing: disk.notes[1].map { [$0] } ?? [], settledMeanwhile: [],
            hasWrites: { !disk.writes(of: $0).isEmpty }, in: disk)
    }

    /// The answer of a server with this object to the first write.
    func isAccepted(by theirs: Note, _ rules: OutboxRules<Note>) throws -> Bool {
        let write = try rules.write(try #require(disk.writes(of: entity).first))
        return write.isExpected(theirs)
    }

    func conflict(with theirs: Note, _ rules: OutboxRules<Note>) throws -> WriteConflict<Note>? {
        try rules.conflict(of: try #require(disk.writes(of: entity).first), with: theirs)
    }

    // MARK: - Writes that are given up

    @Test(
        """
        A change behind an insertion that a person has sent again and then given up finds what the server has, which no \
        person has seen
        """, arguments: [3, nil], [false, true])
    func givenUpAfterRetry(versionColumn: Int?, changesAfterwards: Bool) throws {
        let rules = rules(versionColumn)
        try record(.insert(note(10, 11, 0)), 1, rules)
        try settle(1, .conflict(note(1, 1, 1)), rules)
        // Another device goes on; the parked insertion hides that.
        try pull(note(2, 2, 2), rules)
        if !changesAfterwards { try record(.update(note(10, 30, 0)), 2, rules) }
        _ = try rules.retry(1, of: entity, key: UUID(), in: disk)
        if changesAfterwards {
            let shown = try #require(disk.notes[1])
            try record(.update(note(10, 30, shown.version)), 2, rules)
        }
        try settle(1, .refused(reason: "no"), rules)
        try rules.giveUp(1, of: entity, in: disk)
        #expect(try !isAccepted(by: note(2, 2, 2), rules))
        #expect(try conflict(with: note(2, 2, 2), rules)?.columns == ["body"])
    }

    /// Gives up a change that a person has edited, over a title of the server that no person has seen, with a later change
    /// behind it.
    private func giveUpEdited(before later: OutboxRules<Note>.Change, _ rules: OutboxRules<Note>) throws {
        disk.show(note(1, 1, 1), id: 1)
        try record(.update(note(10, 1, 1)), 1, rules)
        try settle(1, .refused(reason: "no"), rules)
        try pull(note(2, 1, 2), rules)
        try rules.edit(1, to: note(11, 1, 2), key: UUID(), in: disk)
        try record(later, 2, rules)
        try settle(1, .refused(reason: "no"), rules)
        try rules.giveUp(1, of: entity, in: disk)
    }

    @Test(
        "A change behind one that a person has edited and then given up finds what no person has seen",
        arguments: [3, nil])
    func givenUpAfterEditing(versionColumn: Int?) throws {
        let rules = rules(versionColumn)
        try giveUpEdited(before: .update(note(12, 1, 2)), rules)
        #expect(try !isAccepted(by: note(2, 1, 2), rules))
        #expect(try conflict(with: note(2, 1, 2), rules)?.columns == ["title"])
    }

    @Test(
        """
        A change behind one that was kept in a conflict, and then given up, replaces what the conflict has named, since a \
        person has decided about it
        """, arguments: [3, nil])
    func givenUpAfterConflict(versionColumn: Int?) throws {
        let rules = rules(versionColumn)
        disk.show(note(1, 1, 1), id: 1)
        try record(.update(note(10, 1, 1)), 1, rules)
        _ = try rules.settle(1, of: entity, .conflict(note(2, 1, 2)), resolution: .keepMine, key: UUID(), in: disk)
        let shown = try #require(disk.notes[1])
        try record(.update(note(30, 1, shown.version)), 2, rules)
        try settle(1, .refused(reason: "no"), rules)
        try rules.giveUp(1, of: entity, in: disk)
        #expect(try isAccepted(by: note(2, 1, 2), rules))
    }

    @Test("With an insertion that is given up go the changes of its object, but not a later insertion of another one")
    func givenUpInsertion() throws {
        let rules = rules()
        try record(.insert(note(10, 1, 0)), 1, rules)
        try record(.update(note(11, 1, 0)), 2, rules)
        try record(.delete(1), 3, rules)
        try record(.insert(note(20, 1, 0)), 4, rules)
        try settle(1, .refused(reason: "no"), rules)
        #expect(try rules.giveUp(1, of: entity, in: disk) == [1, 2, 3])
        #expect(disk.writes(of: entity).map(\.number) == [4])
    }

    @Test(
        """
        A deletion behind a change that was given up expects a version that the server does not have, since the server may
        not compare the column that no person has seen
        """)
    func givenUpBeforeDeletion() throws {
        let rules = rules()
        try giveUpEdited(before: .delete(1), rules)
        let write = try rules.write(try #require(disk.writes(of: entity).first))
        #expect(write.expectations.map(\.column) == [3])
        #expect(!write.isExpected(note(2, 1, 2)))
    }

    @Test("A change behind one that was given up finds what a pull has brought below that one before")
    func hiddenVersion() throws {
        let rules = rules()
        disk.show(note(1, 1, 1), id: 1)
        try record(.update(note(10, 1, 1)), 1, rules)
        try settle(1, .refused(reason: "no"), rules)
        try pull(note(2, 1, 2), rules)
        // The person sees the title 10, with the version of the object below it.
        #expect(disk.notes[1] == note(10, 1, 2))
        try record(.update(note(20, 1, 2)), 2, rules)
        try rules.giveUp(1, of: entity, in: disk)
        #expect(try !isAccepted(by: note(2, 1, 2), rules))
        #expect(try conflict(with: note(2, 1, 2), rules)?.columns == ["title"])
    }

    @Test("A change behind one that was sent again and given up is not a conflict if nobody else has changed anything")
    func givenUpUnchanged() throws {
        let rules = rules()
        disk.show(note(1, 1, 1), id: 1)
        try record(.update(note(10, 1, 1)), 1, rules)
        try settle(1, .refused(reason: "no"), rules)
        try record(.update(note(20, 1, 1)), 2, rules)
        _ = try rules.retry(1, of: entity, key: UUID(), in: disk)
        try settle(1, .refused(reason: "no"), rules)
        try rules.giveUp(1, of: entity, in: disk)
        #expect(disk.notes[1] == note(20, 1, 1))
        #expect(try isAccepted(by: note(1, 1, 1), rules))
    }

    @Test("A change behind one that has turned out to be done already, when it is sent again, is not a conflict")
    func doneBeforeRetry() throws {
        let rules = rules(nil)
        disk.show(note(1, 1, 0), id: 1)
        try record(.update(note(10, 1, 0)), 1, rules)
        try settle(1, .refused(reason: "no"), rules)
        try record(.update(note(20, 1, 0)), 2, rules)
        try pull(note(10, 1, 0), rules)
        #expect(try rules.retry(1, of: entity, key: UUID(), in: disk) == [1])
        #expect(try isAccepted(by: note(10, 1, 0), rules))
    }

    // MARK: - Parked writes

    @Test("A refused insertion that a person edits stays one, and replaces nothing that others have added meanwhile")
    func editedInsertion() throws {
        let rules = rules()
        try record(.insert(note(10, 11, 0)), 1, rules)
        try settle(1, .refused(reason: "no"), rules)
        try rules.edit(1, to: note(12, 11, 0), key: UUID(), in: disk)
        #expect(try disk.writes(of: entity).map { try rules.write($0).kind } == [.insert])
        #expect(disk.notes[1] == note(12, 11, 0))
    }

    @Test("A parked change that a person edits replaces the server's object if it is not known what that is")
    func editedOverUnreadable() throws {
        let rules = rules()
        try parkOverUnreadable(rules)
        try rules.edit(1, to: note(12, 1, 1), key: UUID(), in: disk)
        #expect(try disk.writes(of: entity).map { try rules.write($0).kind } == [.upsert])
        #expect(disk.notes[1] == note(12, 1, 1))
    }

    @Test("A parked change stays on the screen when a pull shows that its object, which cannot be read, was deleted")
    func deletedBelowUnreadable() throws {
        let rules = rules()
        try parkOverUnreadable(rules)
        try rules.merge(
            [], replacing: [note(10, 1, 1)], settledMeanwhile: [], hasWrites: { _ in true }, parked: [entity], in: disk)
        #expect(disk.rows[1]?.truth == .noObject)
        #expect(disk.notes[1] == note(10, 1, 1))
        #expect(try rules.retry(1, of: entity, key: UUID(), in: disk) == [])
        #expect(try disk.writes(of: entity).map { try rules.write($0).applied(to: nil) } == [note(10, 1, 1)])
    }

    /// Parks a change of an object, below which there is a row that this version of the program cannot read.
    private func parkOverUnreadable(_ rules: OutboxRules<Note>) throws {
        disk.show(note(1, 1, 1), id: 1)
        try record(.update(note(10, 1, 1)), 1, rules)
        try settle(1, .refused(reason: "no"), rules)
        var row = try #require(disk.rows[1])
        row.truth = Data("{}".utf8)
        disk.put(row)
    }

    @Test("A pull is asked again for the objects that it left out, except for those below parked writes")
    func leftOut() throws {
        let rules = OutboxRules(schema: Note.schema, versionColumn: 3, serverRemembersKeys: false, isNumbered: true)
        disk.show(note(1, 1, 5), id: 1)
        func missing(settled: Set<String> = [], hasWrites: Bool = true, parked: Set<String> = []) throws -> Int? {
            try rules.merge(
                [], replacing: [note(1, 1, 5)], settledMeanwhile: settled, hasWrites: { _ in hasWrites },
                parked: parked,
                in: disk)
        }
        // It waits for its answer, which may be that the server has deleted the object, after its change 5.
        #expect(try missing() == 6)
        // It was answered meanwhile.
        #expect(try missing(settled: [entity], hasWrites: false) == 6)
        #expect(try missing(settled: [entity], parked: [entity]) == 6)
        #expect(try missing(parked: [entity]) == nil)
    }

    // MARK: - Writes that are accepted

    @Test("A change behind an accepted one finds what another device has done after that, and a pull has brought")
    func hiddenByAccepted() throws {
        let rules = rules()
        disk.show(note(1, 1, 1), id: 1)
        try record(.update(note(10, 1, 1)), 1, rules)
        // The server has done it; another device has then changed both columns. The answer comes later than the pull.
        try pull(note(2, 2, 3), rules)
        #expect(disk.notes[1] == note(10, 2, 3))
        try record(.update(note(20, 30, 3)), 2, rules)
        try settle(1, .accepted(note(10, 1, 2)), rules)
        #expect(try !isAccepted(by: note(2, 2, 3), rules))
        #expect(try conflict(with: note(2, 2, 3), rules)?.columns.contains("title") == true)
    }

    @Test(
        "A deletion behind changes of columns from which the server computes another one is not a conflict",
        arguments: [1, 3])
    func computedColumn(changes: Int) throws {
        let rules = rules()
        disk.show(note(1, 100, 1), id: 1)
        for number in 1...changes { try record(.update(note(number + 1, 100, 1)), number, rules) }
        try record(.delete(1), changes + 1, rules)
        for number in 1...changes {
            let theirs = note(number, 100 * number, number)
            #expect(try isAccepted(by: theirs, rules))
            // The body is a hundred times the title, as the server computes it.
            try settle(number, .accepted(note(number + 1, 100 * (number + 1), number + 1)), rules)
        }
        #expect(try isAccepted(by: note(changes + 1, 100 * (changes + 1), changes + 1), rules))
    }

    @Test("A deletion behind a change that was sent again over that of another device is one")
    func computedColumnAndOthers() throws {
        let rules = rules()
        disk.show(note(1, 1, 1), id: 1)
        try record(.update(note(10, 1, 1)), 1, rules)
        try record(.delete(1), 2, rules)
        let theirs = note(1, 2, 2)
        #expect(try !isAccepted(by: theirs, rules))
        try settle(1, .conflict(theirs), rules)
        try settle(1, .accepted(note(10, 2, 3)), rules)
        #expect(try !isAccepted(by: note(10, 2, 3), rules))
    }

    // MARK: - The file

    @Test("The base of a write is the same after a restart")
    func stored() throws {
        let rules = rules()
        var write = try #require(
            OutboxWrite.update(from: note(1, 1, 1), to: note(10, 11, 1), Note.schema, versionColumn: 3))
        write.rebase(on: note(2, 2, 2), meaning: nil, isNamed: false)
        write.firstVersion = .integer(1)
        #expect(write.unseen == [1, 2])
        let again = try OutboxWrite(try write.encoded(), rules.columns)
        #expect(again.unseen == write.unseen)
        #expect(again.firstVersion == write.firstVersion)
        #expect(again.old == write.old && again.new == write.new && again.version == write.version)
    }

    // MARK: - An object that was deleted and added again

    @Test(
        "The answers to earlier writes leave no version in an object that a later write has added", arguments: [1, 2])
    func versionOfLaterInsertion(updates: Int) throws {
        let rules = rules()
        disk.notes[1] = note(0, 1, 1)
        for number in 1...updates { try record(.update(note(number, 1, 1)), number, rules) }
        // The deletion is undone, and the object changed again.
        try record(.delete(1), 3, rules)
        try record(.insert(note(0, 1, 1)), 4, rules)
        try record(.update(note(0, 2, 1)), 5, rules)
        for number in 1...updates { try settle(number, .accepted(note(number, 1, number + 10)), rules) }
        if updates == 1 { #expect(disk.notes[1] == note(0, 2, 1)) }
        try settle(3, .accepted(nil), rules)
        try settle(4, .accepted(note(0, 1, 20)), rules)
        #expect(disk.notes[1] == note(0, 2, 20))
    }
}
