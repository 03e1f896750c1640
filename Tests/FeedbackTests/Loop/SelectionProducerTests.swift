import Feedback
import Testing

@Suite("Selections together with their states")
struct SelectionProducerTests {
    private struct State: Equatable, Sendable {
        var count = 0
        var name = ""
    }

    private enum Event: Sendable { case increment, rename(String) }

    private func loop() -> FeedbackLoop<State, Event> {
        let loop = FeedbackLoop<State, Event>(
            initial: State(),
            reduce: { (state: inout State, event) in
                switch event {
                case .increment: state.count += 1
                case let .rename(name): state.name = name
                }
            })
        loop.start()
        return loop
    }

    @Test("A state and its selection always come together")
    func consistency() {
        let loop = loop()
        let seen = MutableProperty<[[Int]]>([])
        loop.producer(selecting: { $0.count * 2 }).startWithValues { state, selection in
            seen.modify { $0.append([state.count, selection]) }
        }
        loop.send(.increment)
        loop.send(.increment)
        #expect(seen.value == [[0, 0], [1, 2], [2, 4]])
    }

    @Test("Events that are not relevant keep the selection, and compute nothing")
    func relevance() {
        let loop = loop()
        let computed = MutableProperty(0)
        let seen = MutableProperty<[String]>([])
        loop.producer(
            selecting: { state in
                computed.modify { $0 += 1 }
                return state.count
            }, where: { _, event in if case .increment = event { true } else { false } }
        ).startWithValues { state, count in seen.modify { $0.append("\(state.name) \(count)") } }
        loop.send(.rename("Ada"))
        loop.send(.increment)
        #expect(seen.value == [" 0", "Ada 0", "Ada 1"])
        #expect(computed.value == 2)
    }

    @Test("It completes with the loop, and stops when it is disposed")
    func ending() {
        let loop = loop()
        let seen = MutableProperty<[String]>([])
        let watching = loop.producer(selecting: \.count).startWithValues { _, count in
            seen.modify { $0.append("\(count)") }
        }
        loop.producer(selecting: \.count).startWithCompleted { seen.modify { $0.append("completed") } }
        watching.dispose()
        loop.send(.increment)
        loop.stop()
        #expect(seen.value == ["0", "completed"])
        loop.producer(selecting: \.count).startWithCompleted { seen.modify { $0.append("completed") } }
        #expect(seen.value == ["0", "completed", "completed"])
    }
}
