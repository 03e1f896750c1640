import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import Persistence
import Sync
import Testing

@testable import Movies

struct MoviesViewModelTests {
    private typealias State = MoviesViewModel.State

    private let stub = MoviesBusinessControllerStub()
    private let routes = Signal<MoviesViewModel.Route, NoError>.pipe()
    private let second = Movie.fixture(id: .fixture(2), title: "Alien")

    private func tester(_ initial: State = State()) -> LoopTester<State, MoviesViewModel.Event> {
        LoopTester(
            initial: initial, reduce: MoviesViewModel.reduce,
            feedbacks: MoviesViewModel.feedbacks(businessController: stub, routes: routes.input))
    }

    private func loaded(_ movies: [Movie] = [.fixture()], hasMore: Bool = false) -> State {
        var state = State()
        state.movies = movies
        state.hasMore = hasMore
        state.loading = .idle
        return state
    }

    private func underWay(_ page: State.Page, _ number: Int, attempt: Int = 1) -> State.Loading {
        .underWay(State.Request(page: page, number: number), attempt: attempt)
    }

    // MARK: - Loading

    @Test("Loads the first page at once")
    func loading() {
        let tester = tester()
        #expect(stub.pages.asked == [.init()])

        stub.pages.answer(.success(.fixture(hasMore: true)))
        tester.receive(.didLoad(.fixture(hasMore: true))) {
            $0.movies = [.fixture()]
            $0.hasMore = true
            $0.loading = .idle
        }
        tester.finish()
    }

    @Test("Reads on after the last movie, and adds what comes")
    func paging() {
        let tester = tester(loaded(hasMore: true))

        tester.send(.ui(.loadMore)) {
            $0.requests = 2
            $0.loading = underWay(.after(.fixture()), 2)
        }
        tester.send(.ui(.loadMore))
        #expect(stub.pages.asked == [.init(after: .fixture())])
        stub.pages.answer(.success(.fixture([second])))
        tester.receive(.didLoad(.fixture([second]))) {
            $0.movies = [.fixture(), second]
            $0.hasMore = false
            $0.loading = .idle
        }
        tester.send(.ui(.loadMore))
        tester.finish()
    }

    @Test("A failed load keeps the movies that were there, and is tried again for the same page")
    func failure() {
        let tester = tester(loaded(hasMore: true))

        tester.send(.ui(.loadMore)) {
            $0.requests = 2
            $0.loading = underWay(.after(.fixture()), 2)
        }
        stub.pages.answer(.failure(.fixture()))
        tester.receive(.didFail(.fixture())) { $0.loading = .failed(.fixture(), .after(.fixture()), attempt: 1) }
        #expect(tester.state.movies == [.fixture()])
        tester.send(.ui(.retry)) {
            $0.requests = 3
            $0.loading = underWay(.after(.fixture()), 3, attempt: 2)
        }
        #expect(stub.pages.asked.count == 2)
        tester.skipTheRest()
    }

    @Test("Two quick taps on refresh send one request")
    func doubleTap() {
        let tester = tester(loaded())

        tester.send(.ui(.refresh)) {
            $0.requests = 2
            $0.loading = underWay(.first, 2)
        }
        tester.send(.ui(.refresh))
        #expect(stub.pages.asked.count == 1)
        tester.skipTheRest()
    }

    // MARK: - Selecting

    @Test("Another selection is asked for at once, in place of what was being asked")
    func selecting() {
        let tester = tester()

        tester.send(.ui(.search("ali"))) {
            $0.selection.title = "ali"
            $0.requests = 2
            $0.loading = underWay(.first, 2)
        }
        tester.send(.ui(.filter(.PG_13))) {
            $0.selection.rating = .PG_13
            $0.requests = 3
            $0.loading = underWay(.first, 3)
        }
        tester.send(.ui(.sort(.newest))) {
            $0.selection.order = .newest
            $0.requests = 4
            $0.loading = underWay(.first, 4)
        }
        #expect(stub.pages.running == 1)
        #expect(stub.pages.asked.last == .init(selection: .init(title: "ali", rating: .PG_13, order: .newest)))
        tester.skipTheRest()
    }

    @Test("The same selection is not asked for again")
    func selectingTheSame() {
        let tester = tester(loaded())

        tester.send(.ui(.sort(.title)))
        tester.send(.ui(.search("")))
        tester.send(.ui(.filter(nil)))
        #expect(stub.pages.asked.isEmpty)
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

    // MARK: - Changes

    @Test("A change of the movies reads the list anew, whatever was under way")
    func changes() {
        let tester = tester()

        stub.change()
        tester.receive(.didChange) {
            $0.requests = 2
            $0.loading = underWay(.first, 2)
        }
        #expect(stub.pages.asked.count == 2)
        #expect(stub.pages.running == 1)
        tester.skipTheRest()
    }

    // MARK: - Without the network

    @Test("What comes from the local copy is shown as such, until the server answers again")
    func local() {
        let tester = tester()
        let origin = AnswerSource.local(staleSince: Date(timeIntervalSinceReferenceDate: 1), because: .fixture())

        stub.pages.answer(.success(.fixture(origin: origin)))
        tester.receive(.didLoad(.fixture(origin: origin))) {
            $0.movies = [.fixture()]
            $0.origin = origin
            $0.loading = .idle
        }
        tester.send(.ui(.refresh)) {
            $0.requests = 2
            $0.loading = underWay(.first, 2)
        }
        stub.pages.answer(.success(.fixture()))
        tester.receive(.didLoad(.fixture())) {
            $0.origin = .remote
            $0.loading = .idle
        }
        tester.finish()
    }

    @Test("Of several pages the oldest says how old the list is")
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

    @Test("A mirror that is behind is told")
    func mirror() {
        let tester = tester()
        let answer = Sourced.fixture(mirror: .behind(changes: 2, because: .full(file: "movies.sqlite")))

        stub.pages.answer(.success(answer))
        tester.receive(.didLoad(answer)) {
            $0.movies = [.fixture()]
            $0.mirror = .behind(changes: 2, because: .full(file: "movies.sqlite"))
            $0.loading = .idle
        }
        tester.finish()
    }

    // MARK: - Routes

    @Test("Choosing, adding and leaving are routes")
    func choosing() {
        let log = RouteLog(routes.output)
        let tester = tester(loaded([.fixture(), second]))

        tester.send(.ui(.choose(second.id)))
        tester.send(.ui(.choose(.fixture(9))))
        tester.send(.ui(.add))
        tester.send(.ui(.leave))
        #expect(log.routes == [.edit(second), .add, .leave])
        tester.finish()
    }

    @Test("Letting go of the view model cancels the request")
    func cancellation() {
        var viewModel: MoviesViewModel? = MoviesViewModel(businessController: stub)
        #expect(stub.pages.running == 1)
        #expect(viewModel?.state.value.request != nil)
        viewModel = nil
        #expect(stub.pages.running == 0)
    }

    @Test("Late answers to what is not asked for any more change nothing")
    func lateAnswers() {
        var state = loaded()
        MoviesViewModel.reduce(&state, .didFail(.fixture()))
        MoviesViewModel.reduce(&state, .didLoad(.fixture([])))
        #expect(state == loaded())
    }
}
