import FeedbackTesting
import Fixtures
import Networking
import Testing

@testable import Cities

struct QuestionsViewModelTests {
    private let stub = CitiesBusinessControllerStub()
    private let routes = RouteLog<QuestionsViewModel.Route>()

    private func tester(query: String = "") -> LoopTester<QuestionsViewModel.State, QuestionsViewModel.Event> {
        var initial = QuestionsViewModel.State()
        initial.query = query
        return LoopTester(QuestionsViewModel(businessController: stub), initial: initial, routes: routes)
    }

    @Test("A question is asked and answered")
    func asking() {
        let tester = tester()

        tester.send(.ui(.edit("How long?"))) { $0.query = "How long?" }
        tester.send(.ui(.ask)) { $0.asking = .underWay() }
        #expect(stub.questions.inputs == ["How long?"])
        stub.questions.answer([.fixture()])
        tester.receive(.didAnswer([.fixture()])) {
            $0.questions = [.fixture()]
            $0.asking = .done
        }
        tester.finish()
    }

    @Test("Nothing is asked without a question", arguments: ["", "  "])
    func empty(query: String) {
        let tester = tester(query: query)

        tester.send(.ui(.ask))
        #expect(stub.questions.inputs.isEmpty)
        tester.finish()
    }

    @Test("Two quick taps on ask send one request")
    func doubleTap() {
        let tester = tester(query: "How long?")

        tester.send(.ui(.ask)) { $0.asking = .underWay() }
        tester.send(.ui(.ask))
        #expect(stub.questions.callCount == 1)
        tester.skipTheRest()
    }

    @Test("Changing the question cancels the one that was asked")
    func editing() {
        let tester = tester(query: "How long?")

        tester.send(.ui(.ask)) { $0.asking = .underWay() }
        tester.send(.ui(.edit("How much?"))) {
            $0.query = "How much?"
            $0.asking = .idle
        }
        #expect(stub.questions.waitingCount == 0)
        tester.finish()
    }

    @Test("A failed question keeps the answers to the one before, and can be tried again")
    func retry() {
        let tester = tester(query: "How long?")

        tester.send(.ui(.ask)) { $0.asking = .underWay() }
        stub.questions.fail(.fixture())
        tester.receive(.didFail(.fixture())) { $0.asking = .failed(.fixture(), number: 1) }
        tester.send(.ui(.ask)) { $0.asking = .underWay(number: 2) }
        stub.questions.answer([])
        tester.receive(.didAnswer([])) {
            $0.questions = []
            $0.asking = .done
        }
        tester.finish()
    }

    @Test("Leaving is a route")
    func leaving() {
        let tester = tester()

        tester.send(.ui(.leave))
        #expect(routes.routes == [.leave])
        tester.finish()
    }
}
