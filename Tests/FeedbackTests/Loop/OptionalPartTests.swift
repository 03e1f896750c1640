import Feedback
import Testing

@Suite("Feedbacks of optional parts")
struct OptionalPartTests {
    private typealias State = FeedbackVariantTests.State
    private typealias Event = FeedbackVariantTests.Event

    private struct Shelf: Sendable, Equatable {
        var part: State?
        var others = 0
    }
    private enum ShelfEvent: Sendable { case part(Event), open(Int), close }

    /// A loop with `feedback` for a part that is not always there.
    private func shelf(_ feedback: Feedback<State, Event>) -> FeedbackLoop<Shelf, ShelfEvent> {
        let extract: @Sendable (ShelfEvent) -> Event? = { if case let .part(event) = $0 { event } else { nil } }
        let reducePart: Reducer<State, Event> = { state, event in
            if case let .number(number) = event { state.number = number }
        }
        let loop = FeedbackLoop<Shelf, ShelfEvent>(
            initial: Shelf(),
            reduce: combine(
                pullback(reducePart, value: \.part, event: extract),
                { shelf, event in
                    switch event {
                    case let .open(number): shelf.part = State(number: number)
                    case .close: shelf.part = nil
                    case .part: shelf.others += 1
                    }
                }),
            feedbacks: [.pullback(feedback, value: \.part, event: ShelfEvent.part, extract: extract)])
        loop.start()
        return loop
    }

    @Test("pullback runs the feedback of an optional part while the part is there, and then cancels its effects")
    func pullingBackOptional() {
        let log = Log<String>()
        let loop = shelf(Feedback(lensing: { $0.number }) { number in FeedbackVariantTests.endless("\(number)", log) })
        #expect(log.entries == [])
        loop.send(.open(1))
        loop.send(.part(.number(2)))
        loop.send(.close)
        #expect(log.entries == ["start 1", "cancel 1", "start 2", "cancel 2"])
        loop.send(.part(.number(3)))
        #expect(loop.state == Shelf(part: nil, others: 2))
        loop.send(.open(2))
        loop.stop()
        #expect(log.entries.suffix(2) == ["start 2", "cancel 2"])
    }

    @Test("A source of the feedback of an optional part is let go with the part, and started again with the next one")
    func pullingBackSource() {
        let log = Log<String>()
        let loop = shelf(Feedback(source: FeedbackVariantTests.endless("source", log)))
        loop.send(.open(1))
        #expect(log.entries == ["start source"])
        loop.send(.close)
        #expect(log.entries == ["start source", "cancel source"])
        loop.send(.open(2))
        #expect(log.entries == ["start source", "cancel source", "start source"])
        loop.stop()
    }

    @Test("Events that the feedback of an optional part has queued do not reach another part that appears later")
    func pullingBackOptionalWithdraws() {
        for isEffect in [true, false] {
            let (events, input) = Signal<Event, NoError>.pipe()
            let loop = shelf(
                isEffect ? Feedback(lensing: { _ in true }) { _ in events.producer } : Feedback(source: events))
            loop.send(.open(1))
            // Inside of the loop's turn, so that all of these are queued.
            let watching = loop.producer.skip(first: 1).take(first: 1).startWithValues { _ in
                loop.send(.close)
                loop.send(.open(2))
                input.send(value: .number(7))
            }
            loop.send(.part(.number(1)))
            #expect(loop.state.part == State(number: 2))
            input.send(value: .number(8))
            #expect(loop.state.part == State(number: 8))
            watching.dispose()
        }
    }

    @Test("Optional parts of optional parts are cancelled with the outer one")
    func pullingBackNested() {
        struct Outer: Sendable { var shelf: Shelf? }
        enum OuterEvent: Sendable { case shelf(ShelfEvent), set(Shelf?) }
        let log = Log<String>()
        let inner: Feedback<Shelf, ShelfEvent> = .pullback(
            Feedback(eachNew: { [$0.number] }) { number in FeedbackVariantTests.endless("\(number)", log) },
            value: \.part,
            event: ShelfEvent.part, extract: { _ in nil })
        let loop = FeedbackLoop<Outer, OuterEvent>(
            initial: Outer(), reduce: { if case let .set(shelf) = $1 { $0.shelf = shelf } },
            feedbacks: [
                .pullback(.combine(inner, inner), value: \.shelf, event: OuterEvent.shelf, extract: { _ in nil })
            ])
        loop.start()
        loop.send(.set(Shelf(part: State(number: 1))))
        #expect(log.entries == ["start 1", "start 1"])
        loop.send(.set(nil))
        #expect(log.entries.suffix(2) == ["cancel 1", "cancel 1"])
        loop.stop()
    }
}
