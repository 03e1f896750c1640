import FeedbackTesting
import Fixtures
import Networking
import Persistence
import Presentation
import Testing

@testable import Timeline

struct HomeViewModelTests {
    private let stub = TimelineBusinessControllerStub()
    private let routes = RouteLog<HomeViewModel.Route>()

    /// A tester after the first load.
    private func tester(
        _ timeline: CachedList<Status>? = .fixture()
    ) -> LoopTester<HomeViewModel.State, HomeViewModel.Event> {
        stub.home.value = timeline
        let tester = LoopTester(HomeViewModel(businessController: stub), routes: routes)
        tester.receive(.didChange(timeline)) {
            $0.timeline = timeline
            $0.place = timeline?.list.ids.first
        }
        stub.refreshes.answer(0)
        tester.receive(.requests(.didRefresh(.success(0)))) { $0.requests.refreshing = .done }
        return tester
    }

    @Test("Shows what is known before the server has answered")
    func lastScreenFirst() {
        stub.home.value = .fixture()
        let tester = LoopTester(HomeViewModel(businessController: stub))
        tester.receive(.didChange(.fixture())) {
            $0.timeline = .fixture()
            $0.place = "10"
        }
        #expect(tester.state.content == .statuses([.fixture()]))
        #expect(tester.state.requests.refreshing.isUnderWay)
        stub.refreshes.answer(2)
        tester.receive(.requests(.didRefresh(.success(2)))) {
            $0.requests.refreshing = .done
            $0.requests.leftOut = 2
        }
    }

    @Test("A first load that fails is a failure, and trying again a second attempt")
    func failure() {
        let tester = LoopTester(HomeViewModel(businessController: stub))
        tester.receive(.didChange(nil))
        #expect(tester.state.content == .loading)
        stub.refreshes.fail(.fixture())
        tester.receive(.requests(.didRefresh(.failure(.fixture())))) {
            $0.requests.refreshing = .failed(.fixture(), number: 1)
        }
        #expect(tester.state.content == .failure(.fixture()))
        tester.send(.ui(.refresh)) { $0.requests.refreshing = .underWay(number: 2) }
        stub.home.value = .fixture([])
        tester.receive(.didChange(.fixture([]))) { $0.timeline = .fixture([]) }
        stub.refreshes.answer(0)
        tester.receive(.requests(.didRefresh(.success(0)))) { $0.requests.refreshing = .done }
        #expect(tester.state.content == .noStatuses)
    }

    @Test("A list that is taken from the cache, as by signing out, is as before the first load")
    func emptiedCache() {
        let tester = tester()
        stub.home.value = nil
        tester.receive(.didChange(nil)) { $0.timeline = nil }
        #expect(tester.state.content == .initial)
        tester.send(.ui(.refresh)) {
            $0.requests.refreshing = .underWay()
            $0.place = nil
        }
        #expect(tester.state.content == .loading)
        tester.skipTheRest()
    }

    @Test("A refresh remembers where the person was")
    func place() {
        let tester = tester()
        tester.send(.ui(.refresh)) {
            $0.requests.refreshing = .underWay()
            $0.place = "10"
        }
        let timeline = CachedList<Status>.fixture([.fixture(id: "11"), .fixture()])
        stub.home.value = timeline
        tester.receive(.didChange(timeline)) { $0.timeline = timeline }
        stub.refreshes.answer(0)
        tester.receive(.requests(.didRefresh(.success(0)))) { $0.requests.refreshing = .done }
    }

    @Test("The list that was kept is where the person was, also if it is refreshed without being asked at launch")
    func placeAtLaunch() {
        stub.home.value = .fixture()
        let tester = LoopTester(HomeViewModel(businessController: stub))
        tester.receive(.didChange(.fixture())) {
            $0.timeline = .fixture()
            $0.place = "10"
        }
        let timeline = CachedList<Status>.fixture([.fixture(id: "11"), .fixture()])
        stub.home.value = timeline
        tester.receive(.didChange(timeline)) { $0.timeline = timeline }
        tester.skipTheRest()
    }

    @Test("Reaching the end loads the next page once")
    func older() {
        let tester = tester(.fixture(next: "10"))
        tester.send(.ui(.loadOlder)) { $0.requests.loadingOlder = .underWay() }
        tester.send(.ui(.loadOlder))
        #expect(stub.olderPages.callCount == 1)
        stub.olderPages.answer(0)
        tester.receive(.requests(.didLoadOlder(.success(0)))) { $0.requests.loadingOlder = .done }
    }

    @Test("After the last page nothing is loaded")
    func end() {
        let tester = tester(.fixture(next: nil))
        tester.send(.ui(.loadOlder))
        #expect(stub.olderPages.callCount == 0)
    }

    @Test("A gap is filled once at a time, and can be tried again")
    func gap() {
        let tester = tester(.fixture([.fixture(id: "20"), .fixture()], gapAfter: "20"))
        tester.send(.ui(.fillGap(after: "10")))
        tester.send(.ui(.fillGap(after: "20"))) {
            $0.gap = "20"
            $0.filling = .underWay()
        }
        tester.send(.ui(.fillGap(after: "20")))
        #expect(stub.gaps.inputs == ["20"])
        stub.gaps.fail(.fixture())
        tester.receive(.didFillGap(.failure(.fixture()))) { $0.filling = .failed(.fixture(), number: 1) }
        tester.send(.ui(.fillGap(after: "20"))) { $0.filling = .underWay(number: 2) }
        stub.gaps.complete()
        tester.receive(.didFillGap(.success(0))) { $0.filling = .done }
    }

    @Test("Acts go on beside each other, and a refusal is shown until the next act")
    func refusal() {
        let tester = tester()
        let act = StatusAct(.favourite, true, "10")
        tester.send(.ui(.act(act)))
        tester.send(.ui(.act(StatusAct(.reblog, true, "10"))))
        #expect(stub.acts.waitingCount == 2)
        stub.refusal.value = Refusal(act, .fixture())
        tester.receive(.requests(.didChangeRefusal(Refusal(act, .fixture())))) {
            $0.requests.refusal = Refusal(act, .fixture())
        }
        stub.refusal.value = nil
        tester.receive(.requests(.didChangeRefusal(nil))) { $0.requests.refusal = nil }
    }

    @Test("Leads to statuses, profiles, and away")
    func routing() {
        let tester = tester()
        tester.send(.ui(.open("10")))
        tester.send(.ui(.openOwnAccount))
        tester.send(.ui(.leave))
        #expect(routes.routes == [.status("10"), .ownAccount, .leave])
    }
}
