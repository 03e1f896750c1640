import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import Persistence
import Presentation
import Sync
import Testing

@testable import Quakes

struct QuakesViewModelTests {
    typealias State = QuakesViewModel.State
    typealias Tester = LoopTester<State, QuakesViewModel.Event>

    let stub = QuakesBusinessControllerStub()
    let routes = RouteLog<QuakesViewModel.Route>()

    // MARK: - Reading

    @Test("The cached quakes are read once, when the screen appears")
    func reading() {
        let tester = tester()
        #expect(tester.state.status == .waiting)
        let catalog = QuakeCatalog(Quake.samples)
        stub.reads.answer(catalog)
        tester.receive(.didRead(catalog)) {
            $0.reading = .done
            $0.catalog.setTruth(catalog)
            $0.show(Quake.samples)
        }
        #expect(tester.state.status == .success)
        tester.send(.ui(.read))
        #expect(stub.reads.callCount == 1)
        tester.finish()
    }

    @Test("Before anything was asked for, there is no status")
    func noStatus() {
        var state = viewModel(stub).initial
        state.reading = .idle
        #expect(state.status == nil)
    }

    @Test("The status of an empty database is empty")
    func empty() {
        let tester = tester()
        stub.reads.answer(QuakeCatalog())
        tester.receive(.didRead(QuakeCatalog())) { $0.reading = .done }
        #expect(tester.state.status == .empty)
        tester.finish()
    }

    @Test("A database that could not be read can be read again, and until then nothing is refreshed")
    func readingAgain() {
        let tester = tester()
        stub.reads.fail(.store(.full(file: "quakes")))
        tester.receive(.didFailToRead(.store(.full(file: "quakes")))) {
            $0.reading = .failed(.store(.full(file: "quakes")), number: 1)
        }
        #expect(tester.state.status == .failure(.store(.full(file: "quakes"))))
        tester.send(.ui(.refresh(.day)))
        tester.send(.ui(.read)) { $0.reading = .underWay(number: 2) }
        #expect(stub.reads.callCount == 2)
        #expect(stub.refreshes.callCount == 0)
        tester.skipTheRest()
    }

    // MARK: - Refreshing

    @Test("A refresh changes what has changed, and counts what was left out")
    func refresh() {
        let tester = tester(loaded([.xxsmall, .xsmall, .small]))
        var stronger = Quake.xsmall
        stronger.magnitude = 8
        let refresh = QuakeRefresh(
            changes: QuakeChanges(inserted: [.large], updated: [stronger], deleted: [.small]), leftOut: 2)

        tester.send(.ui(.refresh(.week))) {
            $0.period = .week
            $0.refreshing = .underWay()
        }
        #expect(stub.refreshes.inputs == [.week])
        stub.refreshes.answer(refresh)
        tester.receive(.didRefresh(refresh)) {
            $0.refreshing = .done
            $0.leftOut = 2
            $0.catalog.setTruth(QuakeCatalog([.xxsmall, stronger, .large]))
            $0.show([.xxsmall, stronger, .large])
        }
        tester.finish()
    }

    @Test("The number of left out features stays if the feed has not changed")
    func leftOut() {
        var state = loaded()
        state.leftOut = 3
        let tester = tester(state)
        tester.send(.ui(.refresh(.day))) { $0.refreshing = .underWay() }
        stub.refreshes.answer(QuakeRefresh())
        tester.receive(.didRefresh(QuakeRefresh())) { $0.refreshing = .done }
        tester.finish()
    }

    @Test("While one refresh waits, another does nothing")
    func twoRefreshes() {
        let tester = tester(loaded())
        tester.send(.ui(.refresh(.hour))) {
            $0.period = .hour
            $0.refreshing = .underWay()
        }
        tester.send(.ui(.refresh(.month)))
        #expect(stub.refreshes.inputs == [.hour])
        tester.skipTheRest()
    }

    @Test("A refresh that fails keeps the quakes, and can be tried again")
    func failedRefresh() {
        let tester = tester(loaded())
        tester.send(.ui(.refresh(.day))) { $0.refreshing = .underWay() }
        stub.refreshes.fail(.fixture())
        tester.receive(.didFailToRefresh(.fixture())) { $0.refreshing = .failed(.fixture(), number: 1) }
        #expect(tester.state.status == .failure(.fixture()))
        tester.send(.ui(.refresh(.day))) { $0.refreshing = .underWay(number: 2) }
        stub.refreshes.answer(QuakeRefresh())
        tester.receive(.didRefresh(QuakeRefresh())) { $0.refreshing = .done }
        #expect(tester.state.status == .success)
        tester.finish()
    }

    @Test("While a slow refresh is under way, other actions go on (virtual time)")
    func slowRefresh() {
        let scheduler = TestScheduler()
        let slow = SlowController(scheduler: scheduler, refresh: QuakeRefresh(leftOut: 1))
        let tester = Tester(viewModel(slow), initial: loaded())
        tester.send(.ui(.refresh(.hour))) {
            $0.period = .hour
            $0.refreshing = .underWay()
        }
        scheduler.advance(by: .seconds(9))
        #expect(tester.state.status == .waiting)
        tester.send(.ui(.search("jose"))) {
            $0.selection.searchText = "jose"
            $0.show([.xxsmall])
        }
        scheduler.advance(by: .seconds(1))
        tester.receive(.didRefresh(QuakeRefresh(leftOut: 1))) {
            $0.refreshing = .done
            $0.leftOut = 1
        }
        tester.finish()
    }

    @Test("The number of left out features is that of the feed shown, and not of another one")
    func leftOutOfAnother() {
        let tester = tester(loaded())
        for (period, leftOut) in [(QuakePeriod.month, 3), (.hour, nil), (.month, nil)] {
            tester.send(.ui(.refresh(period))) {
                $0.period = period
                $0.refreshing = .underWay()
            }
            let refresh = QuakeRefresh(leftOut: leftOut)
            stub.refreshes.answer(refresh)
            tester.receive(.didRefresh(refresh)) {
                $0.refreshing = .done
                if let leftOut { $0.leftOut = leftOut }
            }
            #expect(tester.state.leftOut == (period == .month ? 3 : 0))
        }
        tester.finish()
    }

    // MARK: - Selecting

    @Test("Search and day change the quakes on the screen, and the choice stays")
    func selecting() {
        let tester = tester(loaded())
        tester.send(.ui(.choose("small"))) { $0.chosenId = "small" }
        #expect(tester.state.chosen == .small)
        tester.send(.ui(.search("HAWAII"))) {
            $0.selection.searchText = "HAWAII"
            $0.show([.small])
        }
        tester.send(.ui(.search("HAWAII")))
        tester.send(.ui(.showNextDay)) {
            $0.selection.day = $0.selection.day.next
            $0.show([])
        }
        #expect(tester.state.chosen == .small)
        tester.send(.ui(.showPreviousDay)) {
            $0.selection.day = $0.selection.day.previous
            $0.show([.small])
        }
        tester.send(.ui(.choose("small"))) { $0.chosenId = nil }
        tester.finish()
    }

    @Test("Changing the order sorts the quakes on the screen without finding them again")
    func sorting() {
        var state = loaded()
        // The catalog is emptied, so that the test would notice if the quakes were looked for again.
        state.catalog = Optimistic(truth: QuakeCatalog())
        let tester = tester(state)
        tester.send(.ui(.sort(.magnitude, .ascending))) {
            ($0.selection.key, $0.selection.order) = (.magnitude, .ascending)
            $0.shown.sort(by: $0.selection)
        }
        #expect(tester.state.shown.sorted == Quake.samples)
        tester.send(.ui(.sort(.magnitude, .ascending)))
        tester.finish()
    }

    @Test("Events that change neither quakes nor selection do not find the quakes again")
    func unrelated() {
        var state = loaded()
        state.catalog = Optimistic(truth: QuakeCatalog())
        let tester = tester(state)
        tester.send(.ui(.refresh(.day))) { $0.refreshing = .underWay() }
        stub.refreshes.answer(QuakeRefresh())
        tester.receive(.didRefresh(QuakeRefresh())) { $0.refreshing = .done }
        tester.send(.ui(.choose("small"))) { $0.chosenId = "small" }
        tester.send(.ui(.leave))
        #expect(tester.state.shown.sorted.count == Quake.samples.count)
        #expect(routes.routes == [.leave])
        tester.finish()
    }

    // MARK: - Machinery

    func tester(_ initial: State? = nil) -> Tester {
        Tester(viewModel(stub), initial: initial, routes: routes)
    }

    func viewModel(_ controller: any QuakesBusinessControllerProtocol) -> QuakesViewModel {
        QuakesViewModel(
            businessController: controller, now: Quake.small.time, calendar: QuakesExpectations.calendar())
    }

    func loaded(_ quakes: [Quake] = Quake.samples) -> State {
        var state = viewModel(stub).initial
        state.reading = .done
        state.catalog.setTruth(QuakeCatalog(quakes))
        state.show(quakes)
        return state
    }
}

extension QuakesViewModel.State {
    /// A deletion has begun, and leaves these to be shown.
    mutating func apply(_ deletion: QuakeDeletion, showing quakes: [Quake]) {
        catalog.apply(deletion, id: deletion)
        show(quakes)
    }

    /// A deletion has failed, and these are shown again.
    mutating func rollBack(_ deletion: QuakeDeletion, _ error: DataError = .fixture(), showing quakes: [Quake]) {
        catalog.rollBack(deletion)
        failedDeletion = .init(deletion: deletion, error: error)
        show(quakes)
    }

    /// - Parameter quakes: The quakes of the day that are to be shown.
    mutating func show(_ quakes: [Quake]) {
        var whole = selection
        whole.searchText = ""
        shown = ShownQuakes(whole, of: QuakeCatalog(quakes))
    }
}

/// Has all samples, refreshes in ten seconds, and deletes in one.
struct SlowController: QuakesBusinessControllerProtocol {
    let scheduler: TestScheduler
    var refresh = QuakeRefresh()
    var onDeletion: @Sendable (QuakeDeletion) -> Void = { _ in }

    func fetchQuakes() -> SignalProducer<QuakeCatalog, DataError> { SignalProducer(value: QuakeCatalog(Quake.samples)) }
    func refreshQuakes(_ period: QuakePeriod) -> SignalProducer<QuakeRefresh, DataError> {
        SignalProducer(value: refresh).delay(.seconds(10), on: scheduler)
    }
    func deleteQuake(_ id: Quake.ID) -> SignalProducer<Never, DataError> { delete(.quake(id)) }
    func deleteAllQuakes() -> SignalProducer<Never, DataError> { delete(.all) }

    private func delete(_ deletion: QuakeDeletion) -> SignalProducer<Never, DataError> {
        SignalProducer<QuakeDeletion, DataError>(value: deletion).delay(.seconds(1), on: scheduler)
            .on(value: onDeletion)
            .then(SignalProducer<Never, DataError>.empty)
    }
}
