import FeedbackTesting
import Fixtures
import Networking
import Presentation
import Testing

@testable import Cities

struct CitiesRendererSnapshotTests {
    // MARK: - The list

    private func cities(_ change: (inout CitiesViewModel.State) -> Void) -> Screen<CitiesViewModel.Action> {
        var state = CitiesViewModel.State()
        change(&state)
        return CitiesRenderer().render(state)
    }

    @Test("The first load")
    func loading() {
        expectSnapshot(of: cities { _ in }, named: "cities-loading")
    }

    @Test("Cities to choose from, and how many were left out")
    func loaded() {
        let screen = cities {
            $0.cities = CitiesExpectations.cities + [.fixture(number: 3, name: "東京", country: "JP", population: 1)]
            $0.leftOut = 1
            $0.loading = .done
        }
        expectSnapshot(of: screen, named: "cities-loaded")
        expectSnapshot(of: screen, width: 40, named: "cities-loaded-narrow")
    }

    @Test("No cities at all")
    func empty() {
        expectSnapshot(of: cities { $0.loading = .done }, named: "cities-empty")
    }

    @Test("A failed load beside the cities that were there")
    func failed() {
        let screen = cities {
            $0.cities = CitiesExpectations.cities
            $0.loading = .failed(.fixture(), number: 1)
        }
        expectSnapshot(of: screen, named: "cities-failed")
    }

    @Test("Another attempt")
    func retrying() {
        expectSnapshot(of: cities { $0.loading = .underWay(number: 3) }, named: "cities-retrying")
    }

    // MARK: - The delivery

    private func delivery(_ change: (inout DeliveryViewModel.State) -> Void) -> Screen<DeliveryViewModel.Action> {
        var state = DeliveryViewModel.State(city: .fixture())
        change(&state)
        return DeliveryRenderer().render(state)
    }

    @Test("An empty form")
    func form() {
        expectSnapshot(of: delivery { _ in }, named: "delivery-form")
    }

    @Test("A form with problems")
    func problems() {
        let screen = delivery {
            $0.form = .fixture(recipient: "", street: "Baker Street")
            $0.showsProblems = true
        }
        expectSnapshot(of: screen, named: "delivery-problems")
    }

    @Test("A delivery that is being ordered")
    func ordering() {
        let screen = delivery {
            $0.form = .fixture()
            $0.ordering = .underWay()
        }
        expectSnapshot(of: screen, named: "delivery-ordering")
    }

    @Test("An order that failed")
    func orderFailed() {
        let screen = delivery {
            $0.form = .fixture()
            $0.ordering = .failed(.fixture(.cannotConnect), number: 1)
        }
        expectSnapshot(of: screen, named: "delivery-failed")
    }

    @Test("The confirmation")
    func confirmation() {
        let screen = delivery {
            $0.form = .fixture()
            $0.ordering = .done
        }
        expectSnapshot(of: screen, named: "delivery-confirmed")
    }

    // MARK: - The questions

    private func questions(_ change: (inout QuestionsViewModel.State) -> Void) -> Screen<QuestionsViewModel.Action> {
        var state = QuestionsViewModel.State()
        change(&state)
        return QuestionsRenderer().render(state)
    }

    @Test("An answered question")
    func answered() {
        let screen = questions {
            $0.query = "How long?"
            $0.questions = [.fixture(), .fixture(id: 2, question: "At night?", answer: "Yes.")]
        }
        expectSnapshot(of: screen, named: "questions-answered")
    }

    @Test("A question without an answer")
    func unanswered() {
        let screen = questions {
            $0.query = "Why?"
            $0.questions = []
        }
        expectSnapshot(of: screen, named: "questions-unanswered")
    }

    // MARK: - Purity

    @Test("The same state gives the same screen")
    func purity() {
        #expect(cities { _ in } == cities { _ in })
        #expect(delivery { $0.showsProblems = true } == delivery { $0.showsProblems = true })
        #expect(questions { $0.query = "Why?" } == questions { $0.query = "Why?" })
    }

    @Test("Text from the server cannot control the terminal")
    func sanitizing() {
        let screen = cities {
            $0.cities = [.fixture(name: "Lon\u{1B}[2Jdon\r\n\u{7}", country: "\u{9B}31mGB")]
            $0.loading = .failed(.status(StatusFailure(code: 500, body: .init("\u{1B}]0;owned\u{7}".utf8))), number: 1)
        }
        expectSnapshot(of: screen, named: "cities-hostile")
    }
}
