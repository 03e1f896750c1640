import Feedback
import FeedbackTesting
import Fixtures
import Persistence
import Presentation
import Sync
import Testing

@testable import Movies

struct MovieEditorViewModelTests {
    private typealias State = MovieEditorViewModel.State

    private let stub = MoviesBusinessControllerStub()
    private let routes = RouteLog<MovieEditorViewModel.Route>()

    private func tester(_ initial: State) -> LoopTester<State, MovieEditorViewModel.Event> {
        LoopTester(MovieEditorViewModel(initial, businessController: stub), routes: routes)
    }

    private func filled() -> State {
        var state = State(addingWithId: .fixture(1))
        state.form = .fixture()
        return state
    }

    @Test("A new movie is typed in, added once despite two taps, and confirmed")
    func adding() {
        let tester = tester(State(addingWithId: .fixture(1)))

        tester.send(.ui(.edit(.title, "Alien"))) { $0.form.title = "Alien" }
        tester.send(.ui(.edit(.budget, "11,000,000"))) { $0.form.budget = "11,000,000" }
        tester.send(.ui(.rate(.R))) { $0.form.rating = .R }
        let movie = Movie(id: .fixture(1), title: "Alien", rating: .R, budget: 11_000_000)
        tester.send(.ui(.save)) { $0.saving = .underWay() }
        tester.send(.ui(.save))
        #expect(stub.additions.inputs == [movie])
        stub.additions.answer(Sourced(movie))
        tester.receive(.didSave(Sourced(movie))) {
            $0.saved = Sourced(movie)
            $0.saving = .done
        }
        tester.send(.ui(.edit(.title, "Aliens")))
        tester.finish()
    }

    @Test("An existing movie is changed")
    func changing() {
        let tester = tester(State(changing: .fixture()))

        tester.send(.ui(.edit(.score, "9"))) { $0.form.score = "9" }
        tester.send(.ui(.classify(.romance))) { $0.form.genre = .romance }
        tester.send(.ui(.save)) { $0.saving = .underWay() }
        #expect(
            stub.alterations.inputs == [.init(movie: .fixture(score: 9, genre: .romance), original: .fixture())])
        #expect(stub.additions.inputs.isEmpty)
        tester.skipTheRest()
    }

    @Test("An incomplete form shows its problems, and is not sent")
    func problems() {
        let tester = tester(State(addingWithId: .fixture(1)))

        tester.send(.ui(.save)) { $0.showsProblems = true }
        #expect(stub.additions.inputs.isEmpty)
        tester.finish()
    }

    @Test("A save that fails is tried again with the same id, and with the changes made meanwhile")
    func retry() {
        let tester = tester(filled())

        tester.send(.ui(.save)) { $0.saving = .underWay() }
        stub.additions.fail(.fixture())
        tester.receive(.didFail(.fixture())) { $0.saving = .failed(.fixture(), number: 1) }
        tester.send(.ui(.save)) { $0.saving = .underWay(number: 2) }
        stub.additions.fail(.fixture())
        tester.receive(.didFail(.fixture())) { $0.saving = .failed(.fixture(), number: 2) }
        tester.send(.ui(.edit(.title, "Alien"))) {
            $0.form.title = "Alien"
            $0.saving = .idle
        }
        tester.send(.ui(.save)) { $0.saving = .underWay() }
        #expect(stub.additions.inputs.last == .fixture(title: "Alien"))
        #expect(stub.additions.inputs.map(\.id) == [.fixture(1), .fixture(1), .fixture(1)])
        tester.skipTheRest()
    }

    @Test("Leaving is a route, also while the movie is saved", arguments: [true, false])
    func leaving(isNew: Bool) {
        let initial = isNew ? filled() : State(changing: .fixture())
        let editor = LiveViewModel(MovieEditorViewModel(initial, businessController: stub))
        let routes = Locked<[MovieEditorViewModel.Route]>([])
        editor.routes.observeValues { route in routes.withLock { $0.append(route) } }
        editor.send(.save)
        editor.send(.leave)
        #expect(routes.withLock { $0 } == [.leave])
    }
}
