import Feedback
import FeedbackTesting
import Fixtures
import Persistence
import Sync
import Testing

@testable import Movies

struct MovieEditorViewModelTests {
    private typealias State = MovieEditorViewModel.State

    private let stub = MoviesBusinessControllerStub()
    private let routes = Signal<MovieEditorViewModel.Route, NoError>.pipe()

    private func tester(_ initial: State) -> LoopTester<State, MovieEditorViewModel.Event> {
        LoopTester(
            initial: initial, reduce: MovieEditorViewModel.reduce,
            feedbacks: MovieEditorViewModel.feedbacks(businessController: stub, routes: routes.input))
    }

    private func filled() -> State {
        var state = State(addingWithId: .fixture(1))
        state.form = .fixture()
        return state
    }

    @Test("A new movie is typed in, added once however often that is asked for, and confirmed")
    func adding() {
        let tester = tester(State(addingWithId: .fixture(1)))

        tester.send(.ui(.edit(.title, "Alien"))) { $0.form.title = "Alien" }
        tester.send(.ui(.edit(.budget, "11,000,000"))) { $0.form.budget = "11,000,000" }
        tester.send(.ui(.rate(.R))) { $0.form.rating = .R }
        let movie = Movie(id: .fixture(1), title: "Alien", rating: .R, budget: 11_000_000)
        tester.send(.ui(.save)) { $0.phase = .saving(movie, attempt: 1) }
        tester.send(.ui(.save))
        #expect(stub.additions.asked == [movie])
        stub.additions.answer(.success(Sourced(movie)))
        tester.receive(.didSave(Sourced(movie))) { $0.phase = .saved(Sourced(movie)) }
        tester.send(.ui(.edit(.title, "Aliens")))
        tester.finish()
    }

    @Test("A movie that there is, is changed")
    func changing() {
        let tester = tester(State(changing: .fixture()))

        tester.send(.ui(.edit(.score, "9"))) { $0.form.score = "9" }
        tester.send(.ui(.save)) { $0.phase = .saving(.fixture(score: 9), attempt: 1) }
        #expect(stub.alterations.asked == [.fixture(score: 9)])
        #expect(stub.additions.asked.isEmpty)
        tester.skipTheRest()
    }

    @Test("Problems are shown once somebody says that the form is complete, and nothing is sent")
    func problems() {
        let tester = tester(State(addingWithId: .fixture(1)))

        tester.send(.ui(.save)) { $0.showsProblems = true }
        #expect(stub.additions.asked.isEmpty)
        tester.finish()
    }

    @Test("A save that fails is tried again with the same id, and with what was changed meanwhile")
    func retry() {
        let tester = tester(filled())

        tester.send(.ui(.save)) { $0.phase = .saving(.fixture(), attempt: 1) }
        stub.additions.answer(.failure(.fixture()))
        tester.receive(.didFail(.fixture())) { $0.phase = .failed(.fixture(), attempt: 1) }
        tester.send(.ui(.save)) { $0.phase = .saving(.fixture(), attempt: 2) }
        stub.additions.answer(.failure(.fixture()))
        tester.receive(.didFail(.fixture())) { $0.phase = .failed(.fixture(), attempt: 2) }
        tester.send(.ui(.edit(.title, "Alien"))) {
            $0.form.title = "Alien"
            $0.phase = .editing
        }
        tester.send(.ui(.save)) { $0.phase = .saving(.fixture(title: "Alien"), attempt: 1) }
        #expect(stub.additions.asked.map(\.id) == [.fixture(1), .fixture(1), .fixture(1)])
        tester.skipTheRest()
    }

    @Test("Leaving is a route")
    func leaving() {
        let log = RouteLog(routes.output)
        let tester = tester(filled())

        tester.send(.ui(.leave))
        #expect(log.routes == [.leave])
        tester.finish()
    }
}
