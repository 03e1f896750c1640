import Feedback
import FeedbackTesting
import Fixtures
import Persistence
import Presentation
import Sync
import Testing

@testable import Quakes

extension QuakesViewModelTests {
    @Test("A deleted quake is gone at once, and stays gone when the database has deleted it")
    func deletion() {
        var state = loaded([.small, .large])
        state.chosenId = Quake.small.id
        let tester = tester(state)
        tester.send(.ui(.deleteChosen)) {
            $0.apply(.quake("small"), showing: [.large])
            $0.chosenId = nil
        }
        #expect(tester.state.total == 1)
        #expect(stub.deletions.inputs == ["small"])
        stub.deletions.complete()
        tester.receive(.didDelete(.quake("small"))) { $0.catalog.confirm(.quake("small")) }
        #expect(tester.state.catalog.truth.all == [.large])
        tester.finish()
    }

    @Test("A deletion that fails in the database is rolled back and reported, and can be repeated")
    func failedDeletion() {
        var state = loaded([.small, .large])
        state.chosenId = Quake.small.id
        let tester = tester(state)
        let error = DataError.store(.full(file: "quakes"))
        tester.send(.ui(.deleteChosen)) {
            $0.apply(.quake("small"), showing: [.large])
            $0.chosenId = nil
        }
        stub.deletions.fail(error)
        tester.receive(.didFailToDelete(.quake("small"), error)) {
            $0.rollBack(.quake("small"), error, showing: [.small, .large])
        }
        #expect(tester.state.status == .failure(error))
        tester.send(.ui(.deleteAgain)) {
            $0.failedDeletion = nil
            $0.apply(.quake("small"), showing: [.large])
        }
        #expect(stub.deletions.inputs == ["small", "small"])
        tester.skipTheRest()
    }

    @Test("The error of a deletion goes with the next refresh")
    func dismissedError() {
        var state = loaded([.small])
        state.failedDeletion = .init(deletion: .quake("small"), error: .fixture())
        let tester = tester(state)
        tester.send(.ui(.refresh(.day))) {
            $0.failedDeletion = nil
            $0.refreshing = .underWay()
        }
        tester.skipTheRest()
    }

    @Test("Deletions go on after the screen was left, in the order made")
    func leaving() {
        let done = MutableProperty<[QuakeDeletion]>([])
        let scheduler = TestScheduler()
        let slow = SlowController(scheduler: scheduler, onDeletion: { deletion in done.modify { $0.append(deletion) } })
        var live: LiveViewModel? = LiveViewModel(viewModel(slow))
        live?.send(.choose("large"))
        live?.send(.deleteChosen)
        live?.send(.choose("small"))
        live?.send(.deleteChosen)
        live?.send(.deleteAll)
        live = nil
        scheduler.advance(by: .seconds(1))
        #expect(done.value == [.quake("large"), .quake("small"), .all])
    }

    @Test("All deletions start when they are made; one that fails is rolled back")
    func order() {
        let tester = tester(loaded([.small, .large]))
        tester.send(.ui(.choose("large"))) { $0.chosenId = "large" }
        tester.send(.ui(.deleteChosen)) {
            $0.apply(.quake("large"), showing: [.small])
            $0.chosenId = nil
        }
        tester.send(.ui(.deleteAll)) {
            $0.apply(.all, showing: [])
        }
        #expect(stub.deletions.callCount == 1 && stub.deletionsOfAll.callCount == 1)
        stub.deletions.fail(.fixture())
        tester.receive(.didFailToDelete(.quake("large"), .fixture())) {
            $0.catalog.rollBack(.quake("large"))
            $0.failedDeletion = .init(deletion: .quake("large"), error: .fixture())
        }
        stub.deletionsOfAll.fail(.fixture())
        tester.receive(.didFailToDelete(.all, .fixture())) {
            $0.rollBack(.all, showing: [.small, .large])
        }
        tester.finish()
    }

    @Test("Quakes that a refresh brings while all are being deleted are hidden until the deletion has ended")
    func refreshBelowDeletion() {
        let tester = tester(loaded([.small]))
        tester.send(.ui(.refresh(.day))) { $0.refreshing = .underWay() }
        tester.send(.ui(.deleteAll)) {
            $0.apply(.all, showing: [])
        }
        let refresh = QuakeRefresh(changes: QuakeChanges(inserted: [.large]))
        stub.refreshes.answer(refresh)
        tester.receive(.didRefresh(refresh)) {
            $0.refreshing = .done
            $0.catalog.updateTruth { $0.apply(refresh.changes) }
        }
        #expect(tester.state.total == 0)
        stub.deletionsOfAll.fail(.fixture())
        tester.receive(.didFailToDelete(.all, .fixture())) {
            $0.rollBack(.all, showing: [.small, .large])
        }
        tester.finish()
    }

    @Test("Deleting does nothing if no quake is chosen or there are none")
    func nothingToDelete() {
        let tester = tester(loaded([]))
        tester.send(.ui(.deleteChosen))
        tester.send(.ui(.deleteAll))
        tester.send(.ui(.deleteAgain))
        #expect(stub.deletions.callCount + stub.deletionsOfAll.callCount == 0)
        tester.finish()
    }
}
