import Feedback
import Observation
import Presentation
import Testing

struct ObservedTests {
    @Test("Observation hears of a view model's change, once for each time it looked")
    func tracking() {
        let viewModel = CounterViewModel()
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
        var viewModel: CounterViewModel? = CounterViewModel()
        weak let weakly = viewModel
        let observed = viewModel?.observed(on: ImmediateScheduler())
        viewModel = nil
        #expect(weakly == nil)
        #expect(observed?.count == 0)
    }
}
