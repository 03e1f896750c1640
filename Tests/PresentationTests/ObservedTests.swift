import Feedback
import Observation
import Presentation
import Testing

struct ObservedTests {
    @Test("Observation reports one change for each time the state was read")
    func tracking() {
        let viewModel = LiveViewModel(CounterViewModel())
        let observed = viewModel.observed(on: ImmediateScheduler())
        let changes = MutableProperty(0)

        let count = withObservationTracking {
            observed.count
        } onChange: { [changes] in
            changes.modify { $0 += 1 }
        }
        #expect(count == 0)
        viewModel.send(.increment)
        viewModel.send(.increment)
        #expect(changes.value == 1)
        #expect(observed.count == 2)
    }

    @Test("Following a view model does not keep it")
    func ownership() {
        var viewModel: LiveViewModel? = LiveViewModel(CounterViewModel())
        weak let weakly = viewModel
        let observed = viewModel?.observed(on: ImmediateScheduler())
        viewModel = nil
        #expect(weakly == nil)
        #expect(observed?.count == 0)
    }

    @Test("Reading a part of the state reports the changes of that part only")
    func parts() {
        let viewModel = LiveViewModel(CounterViewModel())
        let observed = viewModel.observed(on: ImmediateScheduler())
        let changes = MutableProperty<[String]>([])
        withObservationTracking {
            #expect(observed.name == "")
        } onChange: { [changes] in
            changes.modify { $0.append("name") }
        }
        withObservationTracking {
            #expect(observed.value.name == "")
        } onChange: { [changes] in
            changes.modify { $0.append("value") }
        }
        viewModel.send(.increment)
        #expect(changes.value == ["value"])
        viewModel.send(.rename("Ada"))
        #expect(changes.value == ["value", "name"])
        #expect(observed.name == "Ada" && observed.count == 1)
    }

    @Test("A part that is observed by itself reports only its own changes")
    func part() {
        let viewModel = LiveViewModel(CounterViewModel())
        let name = viewModel.observed(\.name, on: ImmediateScheduler())
        let changes = MutableProperty(0)

        withObservationTracking {
            #expect(name.value == "")
        } onChange: { [changes] in
            changes.modify { $0 += 1 }
        }
        viewModel.send(.increment)
        #expect(changes.value == 0)
        viewModel.send(.rename("Ada"))
        #expect(changes.value == 1)
        #expect(name.value == "Ada")
    }

    private struct Board: Sendable {
        struct Draft: Equatable, Sendable { var name = "Ada" }

        var rows = ["a", "b", "c"]
        var draft: Draft? = Draft()
        var compared = Compared()
    }

    /// Counts its comparisons.
    private struct Compared: Equatable, Sendable {
        var number = 0
        var count = MutableProperty(0)

        static func == (a: Self, b: Self) -> Bool {
            a.count.modify { $0 += 1 }
            return a.number == b.number
        }
    }

    @Test("A part that the next value does not have ends no process, and its readers are told")
    func missingParts() {
        let board = MutableProperty(Board())
        let observed = Observed(board, on: ImmediateScheduler())
        let changes = MutableProperty<[String]>([])
        withObservationTracking {
            #expect(observed[dynamicMember: \.rows[2]] == "c")
        } onChange: { [changes] in
            changes.modify { $0.append("row") }
        }
        withObservationTracking {
            #expect(observed[dynamicMember: \.draft!.name] == "Ada")
        } onChange: { [changes] in
            changes.modify { $0.append("draft") }
        }
        board.modify {
            $0.rows = []
            $0.draft = nil
        }
        #expect(Set(changes.value) == ["row", "draft"])
        board.modify { $0.rows = ["d"] }
        #expect(observed.rows == ["d"])
    }

    @Test("A part is compared while somebody tracks it, and not after that")
    func untrackedParts() {
        let board = MutableProperty(Board())
        let observed = Observed(board, on: ImmediateScheduler())
        let count = board.value.compared.count
        #expect(observed.compared.number == 0)
        #expect(observed.compared == observed.compared)
        count.value = 0
        board.modify { $0.rows = [] }
        #expect(count.value == 0)

        let changes = MutableProperty(0)
        for round in 1...2 {
            withObservationTracking {
                _ = observed.compared
            } onChange: { [changes] in
                changes.modify { $0 += 1 }
            }
            count.value = 0
            board.modify { $0.rows = ["a"] }
            #expect(count.value == 1 && changes.value == round - 1)
            board.modify { $0.compared.number += 1 }
            #expect(count.value == 2 && changes.value == round)
            board.modify { $0.compared.number += 1 }
            #expect(count.value == 2 && changes.value == round)
        }
    }
}
