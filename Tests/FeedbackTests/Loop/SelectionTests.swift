import FeedbackTesting
import Synchronization
import Testing

@testable import Feedback

@Suite("Selections", .onOwnThread)
struct SelectionTests {
    struct State: Sendable {
        var animals = ["cat", "newt"]
        var query = ""
        var taps = 0
    }

    enum Event: Sendable {
        case add(String), query(String), tap
    }

    static func makeLoop() -> FeedbackLoop<State, Event> {
        let loop = FeedbackLoop<State, Event>(initial: State()) { state, event in
            switch event {
            case let .add(animal): state.animals.append(animal)
            case let .query(query): state.query = query
            case .tap: state.taps += 1
            }
        }
        loop.start()
        return loop
    }

    @Test("A selection is computed once at first, and anew only when one of its inputs changes")
    func memoized() {
        let loop = Self.makeLoop()
        let computed = Atomic(0)
        let found = loop.select(\.animals, \.query) { animals, query in
            computed.add(1, ordering: .relaxed)
            return animals.filter { query.isEmpty || $0.contains(query) }
        }
        #expect(found.value == ["cat", "newt"])
        #expect(computed.load(ordering: .relaxed) == 1)
        loop.send(.tap)
        loop.send(.query(""))
        #expect(computed.load(ordering: .relaxed) == 1)
        loop.send(.query("ca"))
        #expect(found.value == ["cat"])
        #expect(computed.load(ordering: .relaxed) == 2)
    }

    @Test("An event that the filter excludes is not even looked at")
    func filtered() {
        let loop = Self.makeLoop()
        let looks = Atomic(0)
        let count = loop.select(
            where: { _, event in if case .add = event { true } else { false } },
            { state in
                looks.add(1, ordering: .relaxed)
                return state.animals.count
            })
        for _ in 0..<100 { loop.send(.tap) }
        #expect(looks.load(ordering: .relaxed) == 1)
        loop.send(.add("dog"))
        #expect(count.value == 3)
        #expect(looks.load(ordering: .relaxed) == 2)
    }

    @Test("It changes only when the result differs")
    func sameResult() {
        let loop = Self.makeLoop()
        let changes = Log<Int>()
        let parity = loop.select { $0.taps % 2 }
        parity.producer.startWithValues { changes.add($0) }
        loop.send(.query("x"))
        loop.send(.tap)
        loop.send(.tap)
        #expect(changes.entries == [0, 1, 0])
    }

    @Test("Made inside an event, it has the state after that event and follows from there")
    func madeInsideAnEvent() {
        let loop = Self.makeLoop()
        let made = Log<Property<Int>>()
        loop.signal.observeValues { [weak loop] state in
            guard state.taps == 1, made.entries.isEmpty, let loop else { return }
            loop.send(.tap)
            made.add(loop.select(\.taps) { $0 })
            #expect(made.entries.first?.value == 1)
        }
        loop.send(.tap)
        #expect(made.entries.first?.value == 2)
        loop.send(.tap)
        #expect(made.entries.first?.value == 3)
    }

    @Test("A selection that is neither held nor observed is not computed")
    func released() {
        let loop = Self.makeLoop()
        let computed = Atomic(0)
        var selection: Property<Int>? = loop.select { state in
            computed.add(1, ordering: .relaxed)
            return state.taps
        }
        loop.send(.tap)
        let before = computed.load(ordering: .relaxed)
        _ = selection
        selection = nil
        loop.send(.tap)
        #expect(computed.load(ordering: .relaxed) == before)
    }

    @Test("It completes with the loop, and keeps its value")
    func completes() {
        let loop = Self.makeLoop()
        let selection = loop.select(\.taps) { $0 }
        let ends = Log<String>()
        selection.signal.observeCompleted { ends.add("completed") }
        loop.send(.tap)
        loop.stop()
        #expect(selection.value == 1)
        #expect(ends.entries == ["completed"])
    }

    @Test("Made while other threads send, selections end at the last state")
    func madeWhileSending() async {
        for _ in 0..<50 {
            let loop = Self.makeLoop()
            let selections = Log<Property<Int>>()
            await onThreads(4) { thread in
                for _ in 0..<50 {
                    if thread == 0 { selections.add(loop.select(\.taps) { $0 }) } else { loop.send(.tap) }
                }
            }
            #expect(loop.state.taps == 150)
            #expect(selections.entries.allSatisfy { $0.value == 150 })
        }
    }
}
