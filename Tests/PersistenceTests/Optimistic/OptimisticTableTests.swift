import Persistence
import Testing

private struct Memo: Identifiable, Equatable, Sendable {
    var id: Int
    var text = ""
}

private enum Edit: OptimisticChange, Equatable {
    case write(String)
    case insert(Memo)
    case delete

    func apply(to memo: inout Memo?) {
        switch self {
        case .write(let text): memo?.text = text
        case .insert(let new): memo = new
        case .delete: memo = nil
        }
    }
}

@Suite("A table with optimistic changes")
struct OptimisticTableTests {
    private var memos = OptimisticTable<Memo, Edit, Int>(truth: (0..<5).map { Memo(id: $0) })

    @Test("Deleting everything and rolling it back restores everything")
    mutating func deleteAll() {
        let all = memos.values
        let changed = memos.apply(.delete, to: memos.values.keys, id: 1)
        #expect(Set(changed) == Set(0..<5))
        #expect(memos.values.isEmpty)
        #expect(memos.truth(of: 3) == Memo(id: 3))
        let restored = memos.rollBack(1)
        #expect(Set(restored) == Set(0..<5))
        #expect(memos.values == all)
        #expect(memos.pendingIDs.isEmpty)
    }

    @Test("An object that is inserted is there until its change is rolled back")
    mutating func insertion() {
        memos.apply(.insert(Memo(id: 9, text: "new")), to: [9], id: 1)
        #expect(memos[9]?.text == "new")
        #expect(memos.truth(of: 9) == nil)
        memos.rollBack(1)
        #expect(memos[9] == nil)
    }

    @Test("A deletion hides an object that a late answer holds still, until it is rolled back")
    mutating func lateTruth() {
        memos.apply(.delete, to: [2], id: 1)
        memos.setTruth([Memo(id: 2, text: "late"), Memo(id: 3, text: "late")])
        #expect(memos[2] == nil)
        #expect(memos[3]?.text == "late")
        memos.rollBack(1)
        #expect(memos[2]?.text == "late")
    }

    @Test("A table whose changes are all settled equals one that never had any")
    mutating func settled() {
        let before = memos
        memos.apply(.write("a"), to: [1, 2], id: 1)
        memos.apply(.delete, to: [2], id: 2)
        #expect(memos != before)
        memos.rollBack(2)
        memos.confirm(1)
        #expect(memos == OptimisticTable(truth: (0..<5).map { Memo(id: $0, text: 1...2 ~= $0 ? "a" : "") }))
        let wasPending = memos.confirm(1)
        #expect(!wasPending)
    }

    @Test("In any interleaving, each object is what its own changes make of it", arguments: 0..<100 as Range<UInt64>)
    func randomInterleavings(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        var table = OptimisticTable<Memo, Edit, Int>(truth: (0..<5).map { Memo(id: $0) })
        var single = (0..<5).map { Optimistic<Edit, Int>(truth: Memo(id: $0)) }
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
                table.setTruth(ids.map { Memo(id: $0, text: "truth \(step)") })
                for id in ids { single[id].setTruth(Memo(id: id, text: "truth \(step)")) }
            }
            for id in 0..<5 {
                #expect(table[id] == single[id].value, "step \(step)")
                #expect(table.truth(of: id) == single[id].truth, "step \(step)")
            }
        }
    }
}
