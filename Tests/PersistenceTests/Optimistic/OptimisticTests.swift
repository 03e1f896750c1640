import Persistence
import Testing

/// Sets one of the three fields of a value, or takes the value away.
private enum Edit: OptimisticChange, Equatable {
    case set(field: Int, to: Int)
    case delete

    func apply(to value: inout Fields?) {
        switch self {
        case let .set(field, number): value?.numbers[field] = number
        case .delete: value = nil
        }
    }
}

private struct Fields: Equatable, Sendable {
    var numbers = [0, 0, 0]
}

@Suite("Optimistic changes")
struct OptimisticTests {
    private var favourite = Optimistic<Edit, Int>(truth: Fields())

    @Test("A change is shown at once, and is not part of the truth")
    mutating func shownAtOnce() {
        favourite.apply(.set(field: 0, to: 1), id: 1)
        #expect(favourite.value?.numbers == [1, 0, 0])
        #expect(favourite.truth?.numbers == [0, 0, 0])
        #expect(favourite.pendingIDs == [1])
    }

    @Test("Confirming a change makes it part of the truth and does not alter what is shown")
    mutating func confirming() {
        favourite.apply(.set(field: 0, to: 1), id: 1)
        let wasPending = favourite.confirm(1)
        #expect(wasPending)
        #expect(favourite.value?.numbers == [1, 0, 0])
        #expect(favourite.truth?.numbers == [1, 0, 0])
        #expect(!favourite.hasPendingChanges)
    }

    @Test("Rolling a change back takes only this one away")
    mutating func rollingBack() {
        favourite.apply(.set(field: 0, to: 1), id: 1)
        favourite.apply(.set(field: 0, to: 2), id: 2)
        favourite.apply(.set(field: 1, to: 3), id: 3)
        favourite.rollBack(2)
        #expect(favourite.value?.numbers == [1, 3, 0])
        favourite.rollBack(1)
        #expect(favourite.value?.numbers == [0, 3, 0])
    }

    @Test("A change is pending until it is confirmed or rolled back, once")
    mutating func pendingOnce() {
        for id in 1...3 { favourite.apply(.set(field: 0, to: id), id: id) }
        let ends = [
            favourite.rollBack(3), favourite.rollBack(3), favourite.confirm(3), favourite.confirm(2),
            favourite.rollBack(2), favourite.confirm(2), favourite.confirm(1, answer: Fields()),
            favourite.confirm(1, answer: Fields()),
        ]
        #expect(ends == [true, false, false, true, false, false, true, false])
    }

    @Test("A change that is confirmed before an earlier one stays above it")
    mutating func confirmedOutOfOrder() {
        favourite.apply(.set(field: 0, to: 1), id: 1)
        favourite.apply(.set(field: 0, to: 2), id: 2)
        favourite.confirm(2)
        #expect(favourite.value?.numbers == [2, 0, 0])
        favourite.confirm(1)
        #expect(favourite.value?.numbers == [2, 0, 0])
        #expect(favourite.truth?.numbers == [2, 0, 0])
    }

    @Test("A new truth goes below the changes")
    mutating func newTruth() {
        favourite.apply(.set(field: 0, to: 1), id: 1)
        favourite.setTruth(Fields(numbers: [7, 8, 9]))
        #expect(favourite.value?.numbers == [1, 8, 9])
        favourite.updateTruth { $0?.numbers[1] = 5 }
        #expect(favourite.value?.numbers == [1, 5, 9])
        favourite.rollBack(1)
        #expect(favourite.value?.numbers == [7, 5, 9])
        favourite.updateTruth { $0?.numbers[2] = 0 }
        #expect(favourite.value?.numbers == [7, 5, 0])
    }

    @Test("The server's answer replaces the change that it answers, and leaves the others on top")
    mutating func confirmedWithAnswer() {
        favourite.apply(.set(field: 0, to: 1), id: 1)
        favourite.apply(.set(field: 1, to: 2), id: 2)
        favourite.confirm(1, answer: Fields(numbers: [100, 0, 0]))
        #expect(favourite.value?.numbers == [100, 2, 0])
        #expect(favourite.truth?.numbers == [100, 0, 0])
    }

    @Test("An answer that overtakes the answer to an earlier change does not hide the later change")
    mutating func answersOutOfOrder() {
        favourite.apply(.set(field: 0, to: 1), id: 1)
        favourite.apply(.set(field: 1, to: 2), id: 2)
        favourite.confirm(2, answer: Fields(numbers: [0, 2, 0]))
        #expect(favourite.value?.numbers == [1, 2, 0])
        favourite.confirm(1, answer: Fields(numbers: [1, 0, 0]))
        #expect(favourite.value?.numbers == [1, 2, 0])
        #expect(!favourite.hasPendingChanges)
    }

    @Test("A change can be confirmed or rolled back only once")
    mutating func once() {
        favourite.apply(.set(field: 0, to: 1), id: 1)
        favourite.apply(.set(field: 1, to: 1), id: 2)
        favourite.confirm(2)
        var wasPending = [favourite.rollBack(2), favourite.confirm(2)]
        favourite.rollBack(1)
        wasPending.append(favourite.confirm(1))
        #expect(wasPending == [false, false, false])
        #expect(favourite.value?.numbers == [0, 1, 0])
    }

    @Test("Changes with the same id are settled together")
    mutating func sameID() {
        favourite.apply(.set(field: 0, to: 1), id: 1)
        favourite.apply(.set(field: 1, to: 1), id: 2)
        favourite.apply(.set(field: 2, to: 1), id: 1)
        favourite.rollBack(1)
        #expect(favourite.value?.numbers == [0, 1, 0])
    }

    @Test("In any interleaving, what is shown is what a plain model says", arguments: 0..<200 as Range<UInt64>)
    func randomInterleavings(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        var optimistic = Optimistic<Edit, Int>(truth: Fields())
        var model = PlainModel()
        for step in 0..<60 {
            let id = Int.random(in: 0...step, using: &numbers)
            switch Int.random(in: 0..<10, using: &numbers) {
            case 0..<4:
                let edit = Edit.set(field: .random(in: 0..<3, using: &numbers), to: step)
                optimistic.apply(edit, id: step)
                model.changes.append(.init(id: step, edit: edit))
            case 4..<6:
                optimistic.confirm(id)
                model.end(id, as: .confirmed)
            case 6..<8:
                optimistic.rollBack(id)
                model.end(id, as: .rolledBack)
            case 8:
                let truth = Fields(numbers: (0..<3).map { _ in .random(in: 1000..<2000, using: &numbers) })
                optimistic.setTruth(truth)
                model.setTruth(truth)
            default:
                let answer = Fields(numbers: (0..<3).map { _ in .random(in: 1000..<2000, using: &numbers) })
                optimistic.confirm(id, answer: answer)
                model.confirm(id, answer: answer)
            }
            #expect(optimistic.value == model.value, "step \(step)")
            #expect(optimistic.pendingIDs == model.pendingIDs, "step \(step)")
        }
    }
}

/// Every change that was made, and its outcome.
private struct PlainModel {
    struct Change {
        let id: Int
        let edit: Edit
        var end: End?
    }

    enum End { case confirmed, rolledBack }

    private var truth: Fields? = Fields()
    /// The number of changes, from the first on, that the truth replaced when it was set.
    private var replaced = 0
    var changes: [Change] = []

    var value: Fields? {
        var value = truth
        for change in changes[replaced...] where change.end != .rolledBack { change.edit.apply(to: &value) }
        return value
    }

    var pendingIDs: [Int] { changes.filter { $0.end == nil }.map(\.id) }

    /// The number of changes before the first one that is pending.
    private var settled: Int { changes.firstIndex { $0.end == nil } ?? changes.count }

    mutating func end(_ id: Int, as end: End) {
        guard let index = changes.firstIndex(where: { $0.id == id && $0.end == nil }) else { return }
        changes[index].end = end
    }

    mutating func setTruth(_ truth: Fields) {
        self.truth = truth
        replaced = settled
    }

    mutating func confirm(_ id: Int, answer: Fields) {
        let oldest = settled
        end(id, as: .confirmed)
        truth = answer
        replaced = oldest < changes.count && changes[oldest].id == id ? oldest + 1 : oldest
    }
}
