import Feedback
import FeedbackTesting
import Fixtures
import Networking
import Testing

@testable import Cities

struct QuestionsViewModelTests {
    private let stub = CitiesBusinessControllerStub()
    private let routes = Signal<QuestionsViewModel.Route, NoError>.pipe()

    private func tester(query: String = "") -> LoopTester<QuestionsViewModel.State, QuestionsViewModel.Event> {
        var initial = QuestionsViewModel.State()
        initial.query = query
        return LoopTester(
            initial: initial, reduce: QuestionsViewModel.reduce,
            feedbacks: QuestionsViewModel.feedbacks(businessController: stub, routes: routes.input))
    }

    @Test("A question is asked and answered")
    func asking() {
        let tester = tester()

        tester.send(.ui(.edit("How long?"))) { $0.query = "How long?" }
        tester.send(.ui(.ask)) { $0.phase = .asking("How long?", attempt: 1) }
        #expect(stub.questions.asked == ["How long?"])
        stub.questions.answer(.success([.fixture()]))
        tester.receive(.didAnswer([.fixture()])) {
            $0.questions = [.fixture()]
            $0.phase = .editing
        }
        tester.finish()
    }

    @Test("Nothing is asked without a question", arguments: ["", "  "])
    func empty(query: String) {
        let tester = tester(query: query)

        tester.send(.ui(.ask))
        #expect(stub.questions.asked.isEmpty)
        tester.finish()
    }

    @Test("Two quick taps on ask send one request")
    func doubleTap() {
        let tester = tester(query: "How long?")

        tester.send(.ui(.ask)) { $0.phase = .asking("How long?", attempt: 1) }
        tester.send(.ui(.ask))
        #expect(stub.questions.asked.count == 1)
        tester.skipTheRest()
    }

    @Test("Changing the question cancels the one that was asked")
    func editing() {
        let tester = tester(query: "How long?")

        tester.send(.ui(.ask)) { $0.phase = .asking("How long?", attempt: 1) }
        tester.send(.ui(.edit("How much?"))) {
            $0.query = "How much?"
            $0.phase = .editing
        }
        #expect(stub.questions.running == 0)
        tester.finish()
    }

    @Test("A failed question keeps the answers to the one before, and can be tried again")
    func retry() {
        let tester = tester(query: "How long?")

        tester.send(.ui(.ask)) { $0.phase = .asking("How long?", attempt: 1) }
        stub.questions.answer(.failure(.fixture()))
        tester.receive(.didFail(.fixture())) { $0.phase = .failed(.fixture(), attempt: 1) }
        tester.send(.ui(.ask)) { $0.phase = .asking("How long?", attempt: 2) }
        stub.questions.answer(.success([]))
        tester.receive(.didAnswer([])) {
            $0.questions = []
            $0.phase = .editing
        }
        tester.finish()
    }

    @Test("Leaving is a route")
    func leaving() {
        let log = RouteLog(routes.output)
        let tester = tester()

        tester.send(.ui(.leave))
        #expect(log.routes == [.leave])
        tester.finish()
    }
}
