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
}
