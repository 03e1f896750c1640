import FeedbackTesting
import Fixtures
import Foundation
import Persistence
import Presentation
import Sync
import Testing

@testable import Movies

struct MoviesViewModelTests {
    typealias State = MoviesViewModel.State

    let stub = MoviesBusinessControllerStub()
    let routes = RouteLog<MoviesViewModel.Route>()
    let second = Movie.fixture(id: .fixture(2), title: "Alien")

    func tester(_ initial: State? = nil) -> LoopTester<State, MoviesViewModel.Event> {
        let tester = LoopTester(MoviesViewModel(businessController: stub), initial: initial, routes: routes)
        tester.receive(.didSync(SyncStatus()))
        tester.receive(.didPark([]))
        return tester
    }

    func loaded(_ movies: [Movie] = [.fixture()], hasMore: Bool = false) -> State {
        var state = State()
        state.movies = movies
        state.hasMore = hasMore
        state.loading = .done
        return state
    }

    // MARK: - Changes that wait

    @Test("Changes that wait and changes that were refused are shown, and these are sent again or given up")
    func waiting() {
        let write = ParkedWrite(
            id: 7, table: "movies", entity: "movies/1", summary: "update year: 1949", cause: .refused, reason: "No.",
            date: Date(timeIntervalSinceReferenceDate: 0))
        let tester = tester(loaded())
        stub.status.value = SyncStatus(waiting: 2, parked: 1)
        tester.receive(.didSync(SyncStatus(waiting: 2, parked: 1))) { $0.sync = SyncStatus(waiting: 2, parked: 1) }
        stub.parked.value = [write]
        tester.receive(.didPark([write])) { $0.parked = [write] }
        tester.send(.ui(.sendAgain(7)))
        #expect(stub.retries.inputs == [7])
        stub.retries.complete()
        tester.send(.ui(.giveUp(7))) { $0.surrender = 7 }
        tester.send(.ui(.keepParked)) { $0.surrender = nil }
        tester.send(.ui(.giveUp(7))) { $0.surrender = 7 }
        #expect(stub.surrenders.inputs == [])
        tester.send(.ui(.confirmGivingUp(7))) { $0.surrender = nil }
        #expect(stub.surrenders.inputs == [7])
        stub.surrenders.fail(.fixture())
        tester.receive(.didFailParked(.fixture())) { $0.parkedFailure = .fixture() }
        // The error stays when the outbox goes on, and goes with the next attempt, whose second tap changes nothing.
        stub.status.value = SyncStatus()
        tester.receive(.didSync(SyncStatus())) { $0.sync = SyncStatus() }
        tester.send(.ui(.confirmGivingUp(7))) { $0.parkedFailure = nil }
        stub.surrenders.fail(.missing(id: "7"))
        tester.receive(.didFailParked(.missing(id: "7")))
        tester.finish()
    }

    @Test("The error of a change that is sent again is shown though another change is given up meanwhile")
    func twoParked() {
        let tester = tester(loaded())
        tester.send(.ui(.sendAgain(7)))
        tester.send(.ui(.confirmGivingUp(8)))
        #expect(stub.retries.waitingCount == 1 && stub.surrenders.waitingCount == 1)
        stub.retries.fail(.fixture())
        tester.receive(.didFailParked(.fixture())) { $0.parkedFailure = .fixture() }
        stub.surrenders.complete()
        tester.finish()
    }

    // MARK: - Loading

    @Test("Loads the first page at once")
    func loading() {
        let tester = tester()
        #expect(stub.pages.inputs == [.init()])

        stub.pages.answer(.fixture(hasMore: true))
        tester.receive(.didLoad(.fixture(hasMore: true))) {
            $0.movies = [.fixture()]
            $0.hasMore = true
            $0.loading = .done
        }
        tester.finish()
    }

    @Test("Reads on after the last movie, and adds what comes")
    func paging() {
        let tester = tester(loaded(hasMore: true))

        tester.send(.ui(.loadMore)) {
            $0.page = .after(.fixture())
            $0.loading = .underWay()
        }
        tester.send(.ui(.loadMore))
        #expect(stub.pages.inputs == [.init(after: .fixture())])
        stub.pages.answer(.fixture([second]))
        tester.receive(.didLoad(.fixture([second]))) {
            $0.movies = [.fixture(), second]
            $0.hasMore = false
            $0.loading = .done
        }
        tester.send(.ui(.loadMore))
        tester.finish()
    }

    @Test("A movie that comes once more with the next page is there once, where and as it is now")
    func movedMovie() {
        let tester = tester(loaded([.fixture(), second], hasMore: true))

        tester.send(.ui(.loadMore)) {
            $0.page = .after(second)
            $0.loading = .underWay()
        }
        let renamed = Movie.fixture(title: "Zodiac")
        stub.pages.answer(.fixture([renamed]))
        tester.receive(.didLoad(.fixture([renamed]))) {
            $0.movies = [second, renamed]
            $0.hasMore = false
            $0.loading = .done
        }
        tester.finish()
    }

    @Test("A failed load keeps the movies that were there, and is tried again for the same page")
    func failure() {
        let tester = tester(loaded(hasMore: true))

        tester.send(.ui(.loadMore)) {
            $0.page = .after(.fixture())
            $0.loading = .underWay()
        }
        stub.pages.fail(.fixture())
        tester.receive(.didFail(.fixture())) { $0.loading = .failed(.fixture(), number: 1) }
        #expect(tester.state.movies == [.fixture()])
        tester.send(.ui(.retry)) { $0.loading = .underWay(number: 2) }
        #expect(stub.pages.callCount == 2)
        tester.skipTheRest()
    }

    @Test("Two quick taps on refresh send one request")
    func doubleTap() {
        let tester = tester(loaded())

        tester.send(.ui(.refresh)) { $0.loading = .underWay() }
        tester.send(.ui(.refresh))
        #expect(stub.pages.callCount == 1)
        tester.skipTheRest()
    }

    // MARK: - Selecting

    @Test("Another selection is loaded at once, in place of the one before")
    func selecting() {
        let tester = tester()

        tester.send(.ui(.search("ali"))) {
            $0.selection.title = "ali"
        }
        tester.send(.ui(.filter(.rating(.PG_13)))) {
            $0.selection.rating = .PG_13
        }
        tester.send(.ui(.sort(.newest))) {
            $0.selection.order = .newest
        }
        #expect(stub.pages.waitingCount == 1)
        #expect(stub.pages.inputs.last == .init(selection: .init(title: "ali", rating: .PG_13, order: .newest)))
        tester.skipTheRest()
    }

    @Test("The movies of one selection are not continued with those of another, also if the new list fails to load")
    func failedSelection() {
        let tester = tester(loaded(hasMore: true))

        tester.send(.ui(.filter(.rating(.R)))) {
            $0.selection.rating = .R
            $0.hasMore = false
            $0.loading = .underWay()
        }
        stub.pages.fail(.fixture())
        tester.receive(.didFail(.fixture())) { $0.loading = .failed(.fixture(), number: 1) }
        tester.send(.ui(.loadMore))
        #expect(stub.pages.callCount == 1)
        tester.finish()
    }

    @Test("The same selection is not loaded again")
    func selectingTheSame() {
        let tester = tester(loaded())

        tester.send(.ui(.sort(.title)))
        tester.send(.ui(.search("")))
        tester.send(.ui(.filter(.rating(nil))))
        #expect(stub.pages.inputs.isEmpty)
        tester.finish()
    }

    @Test("A selection becomes a predicate that the server understands")
    func predicate() {
        #expect(MovieSelection().condition == .always)
        #expect(MovieSelection(rating: .PG_13).condition == (\Movie.rating == .PG_13))
        #expect(
            MovieSelection(title: "the", rating: .R).condition
                == (\.rating == .R && .contains(\.title, "the", .caseInsensitive)))
    }

    // MARK: - Without the network

    @Test("Movies from the local copy are shown as such, until the server answers again")
    func local() {
        let tester = tester()
        let origin = AnswerSource.local(staleSince: Date(timeIntervalSinceReferenceDate: 1), because: .fixture())

        stub.pages.answer(.fixture(origin: origin))
        tester.receive(.didLoad(.fixture(origin: origin))) {
            $0.movies = [.fixture()]
            $0.origin = origin
            $0.loading = .done
        }
        tester.send(.ui(.refresh)) { $0.loading = .underWay() }
        stub.pages.answer(.fixture())
        tester.receive(.didLoad(.fixture())) {
            $0.origin = .remote
            $0.loading = .done
        }
        tester.finish()
    }

    @Test("The list is as old as its oldest page")
    func localPages() {
        let date = { Date(timeIntervalSinceReferenceDate: $0) }
        var state = loaded(hasMore: true)
        let load = { (state: inout State, since: Date?) in
            MoviesViewModel.reduce(&state, .ui(.loadMore))
            let origin = AnswerSource.local(staleSince: since, because: .fixture())
            MoviesViewModel.reduce(&state, .didLoad(.fixture([second], hasMore: true, origin: origin)))
        }
        load(&state, date(2))
        #expect(state.origin == .local(staleSince: date(2), because: .fixture()))
        load(&state, date(1))
        #expect(state.origin == .local(staleSince: date(1), because: .fixture()))
        load(&state, nil)
        #expect(state.origin == .local(staleSince: nil, because: .fixture()))
        load(&state, date(3))
        #expect(state.origin == .local(staleSince: nil, because: .fixture()))
    }

    @Test("A mirror that is behind is reported")
    func mirror() {
        let tester = tester()
        let answer = Sourced.fixture(mirror: .behind(changes: 2, because: .full(file: "movies.sqlite")))

        stub.pages.answer(answer)
        tester.receive(.didLoad(answer)) {
            $0.movies = [.fixture()]
            $0.mirror = .behind(changes: 2, because: .full(file: "movies.sqlite"))
            $0.loading = .done
        }
        tester.finish()
    }

    // MARK: - Routes

    @Test("Choosing, adding and leaving are routes")
    func choosing() {
        let tester = tester(loaded([.fixture(), second]))

        tester.send(.ui(.choose(second.id)))
        tester.send(.ui(.choose(.fixture(9))))
        tester.send(.ui(.add))
        tester.send(.ui(.leave))
        #expect(routes.routes == [.open(second), .add, .leave])
        tester.finish()
    }

    @Test("Letting go of the view model cancels the request")
    func cancellation() {
        var viewModel: LiveViewModel? = LiveViewModel(MoviesViewModel(businessController: stub))
        #expect(stub.pages.waitingCount == 1)
        #expect(viewModel?.state.value.request != nil)
        viewModel = nil
        #expect(stub.pages.waitingCount == 0)
    }

    @Test("Answers that come late change nothing")
    func lateAnswers() {
        var state = loaded()
        MoviesViewModel.reduce(&state, .didFail(.fixture()))
        MoviesViewModel.reduce(&state, .didLoad(.fixture([])))
        #expect(state == loaded())
    }
}
