import Foundation
import Testing

@testable import Feedback

/// The moments at which each variant starts and cancels its effect.
@Suite("Variants of feedback")
struct FeedbackVariantTests {
    struct State: Sendable, Equatable {
        var number = 0
        var text: String?
    }

    enum Event: Sendable, Equatable {
        case number(Int), text(String?), answer(String)
    }

    /// A loop with one feedback, and a record of its effects.
    struct Probe: Sendable {
        let loop: FeedbackLoop<State, Event>
        let log: Log<String>

        init(_ makeFeedback: (Log<String>) -> Feedback<State, Event>) {
            log = Log()
            loop = FeedbackLoop(
                initial: State(),
                reduce: { state, event in
                    switch event {
                    case let .number(number): state.number = number
                    case let .text(text): state.text = text
                    case .answer: break
                    }
                }, feedbacks: [makeFeedback(log)])
            loop.start()
        }
    }

    /// An effect that runs until it is cancelled.
    static func endless(_ name: String, _ log: Log<String>) -> SignalProducer<Event, NoError> {
        SignalProducer { observer, lifetime in
            log.add("start \(name)")
            lifetime.observeEnded {
                log.add("cancel \(name)")
                withExtendedLifetime(observer) {}
            }
        }
    }

    @Test("predicate starts on every state that passes, and cancels on the first that does not")
    func predicate() {
        let probe = Probe { log in
            Feedback(predicate: { $0.number > 0 }) { Self.endless("\($0.number)", log) }
        }
        for number in [1, 2, 0, 0] { probe.loop.send(.number(number)) }
        #expect(probe.log.entries == ["start 1", "cancel 1", "start 2", "cancel 2"])
    }

    @Test("predicate looks at the first state")
    func predicateOnFirstState() {
        let probe = Probe { log in
            Feedback(predicate: { $0.number == 0 }) { _ in Self.endless("first", log) }
        }
        #expect(probe.log.entries == ["start first"])
    }

    @Test("whenBecomesTrue starts on the rising edge, is left alone, and cancels on the falling one")
    func whenBecomesTrue() {
        let probe = Probe { log in
            Feedback(whenBecomesTrue: { $0.number > 0 }) { Self.endless("\($0.number)", log) }
        }
        for number in [1, 2, 0, 3, 4] { probe.loop.send(.number(number)) }
        #expect(probe.log.entries == ["start 1", "cancel 1", "start 3"])
    }

    @Test("lensing starts on every state with a value, and cancels on the first without")
    func lensing() {
        let probe = Probe { log in
            Feedback(lensing: \.text) { Self.endless($0, log) }
        }
        for text in ["a", "a", nil, "b"] { probe.loop.send(.text(text)) }
        #expect(probe.log.entries == ["start a", "cancel a", "start a", "cancel a", "start b"])
    }

    @Test("skippingRepeated starts when the value differs, is left alone while it does not, and cancels on nil")
    func skippingRepeated() {
        let probe = Probe { log in
            Feedback(skippingRepeated: \.text) { Self.endless($0, log) }
        }
        for text in ["a", "a", "b", nil, nil, "b"] { probe.loop.send(.text(text)) }
        probe.loop.send(.number(7))
        #expect(probe.log.entries == ["start a", "cancel a", "start b", "cancel b", "start b"])
    }

    @Test("skippingRepeated takes a value that is never nil, and starts with the first")
    func skippingRepeatedOfAValue() {
        let probe = Probe { log in
            Feedback(skippingRepeated: \.number) { Self.endless("\($0)", log) }
        }
        probe.loop.send(.number(1))
        #expect(probe.log.entries == ["start 0", "cancel 0", "start 1"])
    }

    @Test("firstValueAfterNil starts with the first value, is left alone by others, and cancels on nil")
    func firstValueAfterNil() {
        let probe = Probe { log in
            Feedback(firstValueAfterNil: \.text) { Self.endless($0, log) }
        }
        for text in ["a", "b", nil, "c", "c"] { probe.loop.send(.text(text)) }
        #expect(probe.log.entries == ["start a", "cancel a", "start c"])
    }

    @Test("extracting starts on each event with a payload, and other events leave it alone")
    func extracting() {
        let probe = Probe { log in
            Feedback(extracting: { if case let .text(text) = $0 { text } else { nil } }) { text, state in
                Self.endless("\(text) at \(state.number)", log)
            }
        }
        probe.loop.send(.text("a"))
        probe.loop.send(.number(1))
        probe.loop.send(.text("b"))
        #expect(probe.log.entries == ["start a at 0", "cancel a at 0", "start b at 1"])
    }

    @Test("compacting starts for each value made of the states, in place of the one before")
    func compacting() {
        let probe = Probe { log in
            Feedback(compacting: { $0.filter { $0.number % 2 == 0 }.map(\.number) }) { Self.endless("\($0)", log) }
        }
        for number in [1, 2, 3, 4] { probe.loop.send(.number(number)) }
        probe.loop.stop()
        #expect(
            probe.log.entries == ["start 0", "cancel 0", "start 2", "cancel 2", "start 4", "cancel 4"])
    }

    @Test("An effect's events come back, and its end does not end the loop")
    func effectsFeedBack() {
        let probe = Probe { _ in
            Feedback(predicate: { 0 < $0.number && $0.number < 3 }) { state in
                SignalProducer<Event, NoError>(value: .number(state.number + 1))
            }
        }
        probe.loop.send(.number(1))
        #expect(probe.loop.state.number == 3)
    }

    @Test("custom gets the first state and each one after, and ends with the loop")
    func custom() {
        let log = Log<String>()
        let loop = FeedbackLoop<Int, Int>(
            initial: 0, reduce: { $0 += $1 },
            feedbacks: [
                .custom { states, output in
                    states.start { event in
                        log.add("\(event)")
                        if event.value == 1 { output.send(10) }
                    }
                }
            ])
        loop.start()
        loop.send(1)
        loop.stop()
        #expect(log.entries == ["value(0)", "value(1)", "value(11)", "interrupted"])
    }

    @Test("enqueue(to:) withdraws what waits when it is disposed, and completes behind its last event")
    func enqueueing() {
        let log = Log<String>()
        let loop = FeedbackLoop<[Int], Int>(
            initial: [], reduce: { $0.append($1) },
            feedbacks: [
                .custom { states, output in
                    states.map(\.count).filter { (1...2).contains($0) }
                        .flatMap(.latest) { count -> SignalProducer<Never, NoError> in
                            let answers = SignalProducer<Int, NoError>([count * 10, count * 10 + 1])
                            return answers.enqueue(to: output).on(completed: { log.add("completed \(count)") })
                        }
                        .start()
                }
            ])
        loop.start()
        loop.send(1)
        // 10 replaced the effect that sent it, so its 11 was withdrawn although it had completed.
        #expect(loop.state == [1, 10, 20, 21])
        #expect(log.entries == ["completed 2"])
    }

    @Test("input sends events from outside")
    func input() {
        let (feedback, send) = Feedback<State, Event>.input
        let probe = Probe { _ in feedback }
        send(.number(4))
        #expect(probe.loop.state.number == 4)
    }

    @Test("combine does what all do")
    func combining() {
        let probe = Probe { log in
            .combine(
                Feedback(predicate: { $0.number == 1 }) { _ in Self.endless("a", log) },
                Feedback(predicate: { $0.number == 1 }) { _ in Self.endless("b", log) })
        }
        probe.loop.send(.number(1))
        probe.loop.stop()
        #expect(probe.log.entries == ["start a", "start b", "cancel a", "cancel b"])
    }

    @Test("pullback runs a part's feedback on the part's state and events")
    func pullingBack() {
        struct Whole: Sendable { var part = State() }
        enum WholeEvent: Sendable { case part(Event), other }
        let part = Feedback<State, Event>.combine(
            Feedback(predicate: { $0.number == 1 }) { _ in SignalProducer<Event, NoError>(value: .number(2)) },
            Feedback(extracting: { if case .number(2) = $0 { () } else { nil } }) { _ in
                SignalProducer<Event, NoError>(value: .text("seen"))
            })
        let reducePart: Reducer<State, Event> = { state, event in
            switch event {
            case let .number(number): state.number = number
            case let .text(text): state.text = text
            case .answer: break
            }
        }
        let extract: @Sendable (WholeEvent) -> Event? = { if case let .part(event) = $0 { event } else { nil } }
        let loop = FeedbackLoop<Whole, WholeEvent>(
            initial: Whole(),
            reduce: pullback(reducePart, value: \.part, event: extract),
            feedbacks: [.pullback(part, value: \.part, event: WholeEvent.part, extract: extract)])
        loop.start()
        loop.send(.part(.number(1)))
        #expect(loop.state.part == State(number: 2, text: "seen"))
    }

    @Test("An async effect feeds its event back, and one that is cancelled does not")
    func asyncEffects() async {
        let (answers, answer) = AsyncStream<String>.makeStream()
        let probe = Probe { log in
            Feedback(lensing: \.text) { text async -> Event? in
                for await answer in answers { return .number(answer.count) }
                log.add("cancelled \(text)")
                return .number(-1)
            }
        }
        probe.loop.send(.text("a"))
        probe.loop.send(.text(nil))
        while probe.log.entries.isEmpty { await Task.yield() }
        #expect(probe.log.entries == ["cancelled a"])
        #expect(probe.loop.state.number == 0)

        answer.finish()
        let other = Probe { _ in
            Feedback(whenBecomesTrue: { $0.text != nil }) { state async -> Event? in .number(state.text?.count ?? 0) }
        }
        other.loop.send(.text("four"))
        for await state in other.loop.property.values where state.number == 4 { break }
        #expect(other.loop.state.number == 4)
    }
}
