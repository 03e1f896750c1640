import FeedbackTesting
import Fixtures
import Foundation
import Persistence
import Presentation
import Sync
import Testing

@testable import Movies

struct MovieDetailViewModelTests {
    private typealias State = MovieDetailViewModel.State

    private let stub = MoviesBusinessControllerStub()
    private let routes = RouteLog<MovieDetailViewModel.Route>()

    private func tester(_ initial: State) -> LoopTester<State, MovieDetailViewModel.Event> {
        LoopTester(MovieDetailViewModel(initial, businessController: stub), routes: routes)
    }

    private func loaded() -> State {
        var state = State(id: .fixture(1), movie: .fixture())
        state.loading = .done
        return state
    }

    @Test("A movie is fetched by its id, and shown with its source")
    func loading() {
        let tester = tester(State(id: .fixture(1)))
        #expect(stub.movies.inputs == [.fixture(1)])

        let answer = Sourced<Movie?>(.fixture(), source: .local(staleSince: nil, because: .fixture()))
        stub.movies.answer(answer)
        tester.receive(.didLoad(answer)) {
            $0.movie = .fixture()
            $0.origin = .local(staleSince: nil, because: .fixture())
            $0.loading = .done
        }
        tester.send(.ui(.edit))
        #expect(routes.routes == [.edit(.fixture())])
        tester.finish()
    }

    @Test("A movie that does not exist any more can be neither changed nor deleted")
    func missing() {
        let tester = tester(State(id: .fixture(1), movie: .fixture()))

        stub.movies.answer(Sourced(nil))
        tester.receive(.didLoad(Sourced(nil))) {
            $0.movie = nil
            $0.loading = .done
        }
        #expect(tester.state.isGone)
        tester.send(.ui(.edit))
        tester.send(.ui(.delete))
        tester.send(.ui(.leave))
        #expect(routes.routes == [.leave])
        tester.finish()
    }

    @Test("A load that fails is tried again")
    func retry() {
        let tester = tester(State(id: .fixture(1)))

        stub.movies.fail(.fixture())
        tester.receive(.didFailLoading(.fixture())) { $0.loading = .failed(.fixture(), number: 1) }
        tester.send(.ui(.refresh)) { $0.loading = .underWay(number: 2) }
        #expect(stub.movies.inputs.count == 2)
        tester.skipTheRest()
    }

    @Test("A deletion is confirmed first, made once despite two taps, tried again after a failure, and leads back")
    func deleting() {
        let tester = tester(loaded())

        tester.send(.ui(.confirm))
        tester.send(.ui(.delete)) { $0.deletion.ask() }
        tester.send(.ui(.keep)) { $0.deletion.decline() }
        tester.send(.ui(.delete)) { $0.deletion.ask() }
        tester.send(.ui(.confirm)) { $0.deletion.confirm() }
        stub.deletions.fail(.fixture())
        tester.receive(.didFailDeleting(.fixture())) {
            $0.deletion.attempt = .failed(.fixture(), number: 1)
            $0.loading = .underWay()
        }
        stub.movies.answer(Sourced(.fixture()))
        tester.receive(.didLoad(Sourced(.fixture()))) { $0.loading = .done }
        tester.send(.ui(.confirm)) { $0.deletion.attempt = .underWay(number: 2) }
        tester.send(.ui(.confirm))
        tester.send(.ui(.edit))
        #expect(stub.deletions.inputs == [.fixture(), .fixture()])
        stub.deletions.answer(Sourced(()))
        tester.receive(.didDelete) { $0.deletion.attempt = .done }
        #expect(routes.routes == [.leave])
        tester.finish()
    }

    @Test("After a change the movie is fetched again, unless the change was its own deletion")
    func changes() {
        let tester = tester(loaded())

        stub.change()
        tester.receive(.didChange) { $0.loading = .underWay() }
        #expect(stub.movies.inputs == [.fixture(1)])
        stub.movies.answer(Sourced(.fixture(title: "New")))
        tester.receive(.didLoad(Sourced(.fixture(title: "New")))) {
            $0.movie = .fixture(title: "New")
            $0.loading = .done
        }
        tester.send(.ui(.delete)) { $0.deletion.ask() }
        tester.send(.ui(.confirm)) { $0.deletion.confirm() }
        stub.change()
        tester.receive(.didChange)
        tester.skipTheRest()
    }

    @Test("Changes while the movie is fetched do not cancel that; it is fetched once more when it has come")
    func changesWhileLoading() {
        let tester = tester(State(id: .fixture(1)))

        for _ in 1...3 {
            stub.change()
            tester.receive(.didChange) { $0.isOutdated = true }
        }
        #expect(stub.movies.callCount == 1)
        stub.movies.answer(Sourced(.fixture()))
        tester.receive(.didLoad(Sourced(.fixture()))) {
            $0.movie = .fixture()
            $0.isOutdated = false
        }
        #expect(stub.movies.callCount == 2)
        stub.movies.answer(Sourced(.fixture(title: "New")))
        tester.receive(.didLoad(Sourced(.fixture(title: "New")))) {
            $0.movie = .fixture(title: "New")
            $0.loading = .done
        }
        tester.finish()
    }

    @Test("A movie that changes while it is fetched is fetched again, also if fetching it fails")
    func changeBeforeFailure() {
        let tester = tester(State(id: .fixture(1)))

        stub.change()
        tester.receive(.didChange) { $0.isOutdated = true }
        stub.movies.fail(.fixture())
        tester.receive(.didFailLoading(.fixture())) {
            $0.loading = .underWay(number: 2)
            $0.isOutdated = false
        }
        #expect(stub.movies.callCount == 2)
        stub.movies.fail(.fixture())
        tester.receive(.didFailLoading(.fixture())) { $0.loading = .failed(.fixture(), number: 2) }
        tester.finish()
    }

    @Test("A second press of the button to try again does not hide a change that came after the first one")
    func changeBetweenTwoPresses() {
        let tester = tester(State(id: .fixture(1)))

        stub.change()
        tester.receive(.didChange) { $0.isOutdated = true }
        tester.send(.ui(.refresh))
        stub.movies.answer(Sourced(.fixture()))
        tester.receive(.didLoad(Sourced(.fixture()))) {
            $0.movie = .fixture()
            $0.isOutdated = false
        }
        #expect(stub.movies.callCount == 2)
        tester.skipTheRest()
    }

    @Test("Changes during a deletion that failed are fetched, also if the movie was being fetched before")
    func changeDuringDeletion() {
        let tester = tester(State(id: .fixture(1), movie: .fixture()))

        tester.send(.ui(.delete)) { $0.deletion.ask() }
        tester.send(.ui(.confirm)) { $0.deletion.confirm() }
        stub.change()
        tester.receive(.didChange)
        stub.deletions.fail(.fixture())
        tester.receive(.didFailDeleting(.fixture())) {
            $0.deletion.attempt = .failed(.fixture(), number: 1)
            $0.isOutdated = true
        }
        stub.movies.answer(Sourced(.fixture()))
        tester.receive(.didLoad(Sourced(.fixture()))) { $0.isOutdated = false }
        #expect(stub.movies.callCount == 2)
        tester.skipTheRest()
    }

    @Test("After a deletion that failed the movie is fetched again, and follows changes as before")
    func changesAfterFailure() {
        let tester = tester(loaded())

        tester.send(.ui(.delete)) { $0.deletion.ask() }
        tester.send(.ui(.confirm)) { $0.deletion.confirm() }
        stub.change()
        tester.receive(.didChange)
        #expect(stub.movies.inputs.isEmpty)
        stub.deletions.fail(.fixture())
        tester.receive(.didFailDeleting(.fixture())) {
            $0.deletion.attempt = .failed(.fixture(), number: 1)
            $0.loading = .underWay()
        }
        stub.movies.answer(Sourced(.fixture(title: "New")))
        tester.receive(.didLoad(Sourced(.fixture(title: "New")))) {
            $0.movie = .fixture(title: "New")
            $0.loading = .done
        }
        stub.change()
        tester.receive(.didChange) { $0.loading = .underWay() }
        stub.movies.answer(Sourced(.fixture(title: "Newer")))
        tester.receive(.didLoad(Sourced(.fixture(title: "Newer")))) {
            $0.movie = .fixture(title: "Newer")
            $0.loading = .done
        }
        tester.send(.ui(.edit))
        #expect(routes.routes == [.edit(.fixture(title: "Newer"))])
        tester.send(.ui(.delete)) { $0.deletion.ask() }
        tester.send(.ui(.keep)) { $0.deletion = .init() }
        tester.finish()
    }
}
