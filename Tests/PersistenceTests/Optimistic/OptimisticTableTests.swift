import Persistence
import Testing

private struct Note: Identifiable, Equatable, Sendable {
    var id: Int
    var text = ""
}

private enum Edit: OptimisticChange, Equatable {
    case write(String)
    case insert(Note)
    case delete

    func apply(to note: inout Note?) {
        switch self {
        case .write(let text): note?.text = text
        case .insert(let new): note = new
        case .delete: note = nil
        }
    }
}

@Suite("A table with optimistic changes")
struct OptimisticTableTests {
    private var notes = OptimisticTable<Note, Edit, Int>(truth: (0..<5).map { Note(id: $0) })

    @Test("Deleting everything and rolling it back restores everything")
    mutating func deleteAll() {
        let all = notes.values
        let changed = notes.apply(.delete, to: notes.values.keys, id: 1)
        #expect(Set(changed) == Set(0..<5))
        #expect(notes.values.isEmpty)
        #expect(notes.truth(of: 3) == Note(id: 3))
        let restored = notes.rollBack(1)
        #expect(Set(restored) == Set(0..<5))
        #expect(notes.values == all)
        #expect(notes.pendingIDs.isEmpty)
    }

    @Test("An object that is inserted is there until its change is rolled back")
    mutating func insertion() {
        notes.apply(.insert(Note(id: 9, text: "new")), to: [9], id: 1)
        #expect(notes[9]?.text == "new")
        #expect(notes.truth(of: 9) == nil)
        notes.rollBack(1)
        #expect(notes[9] == nil)
    }

    @Test("A deletion hides an object that a late answer holds still, until it is rolled back")
    mutating func lateTruth() {
        notes.apply(.delete, to: [2], id: 1)
        notes.setTruth([Note(id: 2, text: "late"), Note(id: 3, text: "late")])
        #expect(notes[2] == nil)
        #expect(notes[3]?.text == "late")
        notes.rollBack(1)
        #expect(notes[2]?.text == "late")
    }

    @Test("A table whose changes are all settled equals one that never had any")
    mutating func settled() {
        let before = notes
        notes.apply(.write("a"), to: [1, 2], id: 1)
        notes.apply(.delete, to: [2], id: 2)
        #expect(notes != before)
        notes.rollBack(2)
        notes.confirm(1)
        #expect(notes == OptimisticTable(truth: (0..<5).map { Note(id: $0, text: 1...2 ~= $0 ? "a" : "") }))
        let wasPending = notes.confirm(1)
        #expect(!wasPending)
    }

    @Test("In any interleaving, each object is what its own changes make of it", arguments: 0..<100 as Range<UInt64>)
    func randomInterleavings(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        var table = OptimisticTable<Note, Edit, Int>(truth: (0..<5).map { Note(id: $0) })
        var single = (0..<5).map { Optimistic<Edit, Int>(truth: Note(id: $0)) }
        for step in 0..<60 {
            let ids = (0..<5).filter { _ in Bool.random(using: &numbers) }
            let change = Int.random(in: 0...step, using: &numbers)
            switch Int.random(in: 0..<8, using: &numbers) {
            case 0..<3:
                let edit = Bool.random(using: &numbers) ? Edit.write("\(step)") : .delete
                table.apply(edit, to: ids, id: step)
                for id in ids { single[id].apply(edit, id: step) }
            case 3..<5:
                table.confirm(change)
                for id in 0..<5 { single[id].confirm(change) }
            case 5..<7:
                table.rollBack(change)
                for id in 0..<5 { single[id].rollBack(change) }
            default:
                table.setTruth(ids.map { Note(id: $0, text: "truth \(step)") })
                for id in ids { single[id].setTruth(Note(id: id, text: "truth \(step)")) }
            }
            for id in 0..<5 {
                #expect(table[id] == single[id].value, "step \(step)")
                #expect(table.truth(of: id) == single[id].truth, "step \(step)")
            }
        }
    }
}
