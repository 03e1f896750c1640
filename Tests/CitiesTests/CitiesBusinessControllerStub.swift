import Cities
import Feedback
import Networking

/// A business controller that answers when the test says so, and counts what it is asked for.
final class CitiesBusinessControllerStub: CitiesBusinessControllerProtocol {
    /// One kind of request, answered by hand.
    final class Requests<Asked: Sendable, Answer: Sendable>: Sendable {
        private let state = Locked(State())

        private struct State {
            var asked: [Asked] = []
            var running: [Int: Signal<Answer, CoreError>.Observer] = [:]
        }

        /// What was asked for, in order.
        var asked: [Asked] { state.withLock { $0.asked } }
        /// How many requests wait for their answer.
        var running: Int { state.withLock { $0.running.count } }

        func producer(_ asked: Asked) -> SignalProducer<Answer, CoreError> {
            SignalProducer { [self] observer, lifetime in
                let number = state.withLock { state in
                    state.asked.append(asked)
                    state.running[state.asked.count] = observer
                    return state.asked.count
                }
                lifetime.observeEnded { [self] in _ = state.withLock { $0.running.removeValue(forKey: number) } }
            }
        }

        /// Answers all that wait.
        func answer(_ result: Result<Answer, CoreError>) {
            for observer in state.withLock({ $0.running.values.map { $0 } }) {
                switch result {
                case let .success(answer):
                    observer.send(value: answer)
                    observer.sendCompleted()
                case let .failure(error):
                    observer.send(error: error)
                }
            }
        }
    }

    let cities = Requests<Void, CitiesResponse>()
    let deliveries = Requests<Address, Void>()
    let questions = Requests<String, [Question]>()

    func fetchCities() -> SignalProducer<CitiesResponse, CoreError> { cities.producer(()) }

    func requestDelivery(to address: Address) -> SignalProducer<Never, CoreError> {
        deliveries.producer(address).flatMap(.latest) { _ in SignalProducer<Never, CoreError>.empty }
    }

    func obtainQuestions(about query: String) -> SignalProducer<[Question], CoreError> { questions.producer(query) }
}
