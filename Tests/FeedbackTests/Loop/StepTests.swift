import FeedbackTesting
import Foundation
import Synchronization
import Testing

@testable import Feedback

/// The steps that a loop reports, in order.
@Suite("Steps of the loop")
struct StepTests {
    struct State: Sendable, Equatable {
        var query: String?
        var answers: [String] = []
    }

    enum Event: Sendable, Equatable {
        case ask(String?)
        case answer(String)
    }

    typealias Step = LoopStep<State, Event>

    @Sendable
    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case let .ask(query): state.query = query
        case let .answer(answer): state.answers.append(answer)
        }
    }

    static func whenAsked(_ answers: @escaping @Sendable (String) -> SignalProducer<Event, NoError>) -> Feedback<
        State, Event
    > {
        Feedback(skippingRepeated: \.query) { answers($0) }
    }

    static func loop(_ feedbacks: Feedback<State, Event>...) -> FeedbackLoop<State, Event> {
        FeedbackLoop(initial: State(), reduce: reduce, feedbacks: feedbacks)
    }

    static func log(_ loop: FeedbackLoop<State, Event>) -> Log<String> {
        let log = Log<String>()
        loop.steps.start { event in
            switch event {
            case let .value(step): log.add(describe(step))
            case .completed: log.add("completed")
            default: log.add("interrupted")
            }
        }
        return log
    }

    static func describe(_ step: Step) -> String {
        switch step {
        case let .initial(state, running): "initial \(state.answers.count), running \(running)"
        case let .reduced(event, source, _): "\(event) from \(source)"
        case let .withdrawn(event, source): "withdrawn \(event) from \(source)"
        case let .started(effect): "started \(effect)"
        case let .ended(effect, end): "\(end) \(effect)"
        }
    }

    // MARK: - What happens, in order

    @Test("An effect that answers at once is started, reduced and completed, in this order")
    func effect() {
        let loop = Self.loop(Self.whenAsked { SignalProducer(value: .answer($0)) })
        let log = Self.log(loop)
        #expect(log.entries.isEmpty, "before the start there is nothing to report")
        loop.start()
        loop.send(.ask("a"))
        #expect(
            log.entries == [
                "initial 0, running []", #"ask(Optional("a")) from sent"#, "started whenAsked #1",
                #"answer("a") from whenAsked #1"#, "completed whenAsked #1",
            ])
    }

    @Test("A replaced effect ends before its successor starts, and its queued events are withdrawn after that")
    func replaced() {
        let loop = Self.loop(
            Feedback(
                extracting: { $0 == .ask("a") ? () : nil }, effects: { _ in SignalProducer(value: .ask("b")) },
                name: "first"),
            Self.whenAsked { SignalProducer([.answer($0 + "1"), .answer($0 + "2")]) })
        let log = Self.log(loop)
        loop.start()
        loop.send(.ask("a"))
        #expect(
            log.entries == [
                "initial 0, running []", #"ask(Optional("a")) from sent"#, "started first #1", "started whenAsked #2",
                #"ask(Optional("b")) from first #1"#, "replaced whenAsked #2", "started whenAsked #3",
                "completed first #1",
                #"withdrawn answer("a1") from whenAsked #2"#, #"withdrawn answer("a2") from whenAsked #2"#,
                #"answer("b1") from whenAsked #3"#, #"answer("b2") from whenAsked #3"#, "completed whenAsked #3",
            ])
    }

    @Test("A cancelled effect ends at once, and stopping cancels the rest before the steps complete")
    func cancelled() {
        let loop = Self.loop(
            Self.whenAsked { _ in .never },
            Feedback(
                whenBecomesTrue: { $0.query != nil }, effects: { _ in SignalProducer<Event, NoError>.never },
                name: "other"))
        loop.start()
        loop.send(.ask("a"))
        let log = Self.log(loop)
        loop.send(.ask(nil))
        loop.send(.ask("b"))
        loop.stop()
        #expect(loop.send(.ask("c")) == false)
        #expect(
            log.entries == [
                "initial 0, running [whenAsked #1, other #2]",
                "ask(nil) from sent", "cancelled whenAsked #1", "cancelled other #2",
                #"ask(Optional("b")) from sent"#, "started whenAsked #3", "started other #4",
                "cancelled whenAsked #3", "cancelled other #4", "completed",
            ])
    }

    @Test("An effect whose own event ends it is answered; one that another event ends is cancelled")
    func answered() {
        func whenAsked(_ name: String, _ effect: SignalProducer<Event, NoError>) -> Feedback<State, Event> {
            Feedback(whenBecomesTrue: { $0.query != nil }, effects: { _ in effect }, name: name)
        }
        let (signal, observer) = Signal<Event, NoError>.pipe()
        let loop = Self.loop(whenAsked("first", SignalProducer(signal)), whenAsked("second", .never))
        let log = Self.log(loop)
        loop.start()
        loop.send(.ask("a"))
        observer.send(value: .answer("b"))
        observer.send(value: .ask(nil))
        loop.send(.ask("c"))
        observer.send(value: .answer("d"))
        loop.send(.ask(nil))
        #expect(
            log.entries == [
                "initial 0, running []",
                #"ask(Optional("a")) from sent"#, "started first #1", "started second #2",
                #"answer("b") from first #1"#, "ask(nil) from first #1", "answered first #1", "cancelled second #2",
                #"ask(Optional("c")) from sent"#, "started first #3", "started second #4",
                #"answer("d") from first #3"#, "ask(nil) from sent", "cancelled first #3", "cancelled second #4",
            ])
    }

    @Test("An effect whose last event stops the loop is answered; one that is stopped after its events is cancelled")
    func answeredByStopping() {
        let (signal, observer) = Signal<Event, NoError>.pipe()
        func run(_ body: (FeedbackLoop<State, Event>) -> Void) -> [String] {
            let loop = Self.loop(Self.whenAsked { _ in SignalProducer(signal) })
            loop.start()
            loop.send(.ask("a"))
            let log = Self.log(loop)
            body(loop)
            return log.entries
        }
        let popped = run { loop in
            loop.signal.observeValues { [weak loop] state in if !state.answers.isEmpty { loop?.stop() } }
            observer.send(value: .answer("b"))
        }
        #expect(popped.suffix(2) == ["answered whenAsked #1", "completed"])
        let left = run { loop in
            observer.send(value: .answer("b"))
            loop.stop()
        }
        #expect(left.suffix(2) == ["cancelled whenAsked #1", "completed"])
    }

    @Test("Events of a source come from its feedback, and those of combined feedbacks from each by its name")
    func sources() {
        let (signal, observer) = Signal<Event, NoError>.pipe()
        let loop = Self.loop(
            Self.whenAsked { _ in .empty },
            .combine(
                Feedback(source: signal, name: "news"),
                Feedback(
                    skippingRepeated: \.query, effects: { SignalProducer<Event, NoError>(value: .answer($0)) },
                    name: "echo")))
        loop.start()
        let sources = Log<EventSource>()
        loop.steps.startWithValues { if case let .reduced(_, source, _) = $0 { sources.add(source) } }
        observer.send(value: .ask("a"))
        #expect(
            sources.entries == [
                .feedback(FeedbackID(index: 1, name: "news")),
                .effect(LoopEffect(feedback: FeedbackID(index: 1, name: "echo"), number: 2)),
            ])
    }

    @Test("compacting and enqueue(to:) report their effects too")
    func freeForm() {
        let loop = Self.loop(
            Feedback(
                compacting: { $0.map(\.query).skipNil().skipRepeats() },
                effects: { SignalProducer<Event, NoError>(value: .answer($0)) }, name: "compacting"),
            .custom(name: "custom") { states, output in
                states.map(\.query).skipNil().skipRepeats().flatMap(.latest) { query in
                    (query == "a" ? SignalProducer<Event, NoError>.never : SignalProducer(value: .answer("custom")))
                        .enqueue(to: output)
                }.start()
            })
        loop.start()
        let log = Self.log(loop)
        loop.send(.ask("a"))
        loop.send(.ask("b"))
        loop.stop()
        #expect(
            log.entries == [
                "initial 0, running []",
                #"ask(Optional("a")) from sent"#, "started compacting #1", "started custom #2",
                #"answer("a") from compacting #1"#, "completed compacting #1",
                #"ask(Optional("b")) from sent"#, "started compacting #3", "cancelled custom #2", "started custom #4",
                #"answer("b") from compacting #3"#, "completed compacting #3",
                #"answer("custom") from custom #4"#, "completed custom #4", "completed",
            ])
    }

    // MARK: - Listening

    @Test("The event that a listener sends is reported after the one under way")
    func reentrant() {
        let loop = Self.loop()
        let log = Self.log(loop)
        loop.steps.startWithValues { [weak loop] step in
            if case .reduced(.ask("a"), _, _) = step { loop?.send(.answer("b")) }
            if case .reduced(.answer, _, _) = step { loop?.stop() }
        }
        loop.start()
        loop.send(.ask("a"))
        #expect(
            log.entries == [
                "initial 0, running []", #"ask(Optional("a")) from sent"#, #"answer("b") from sent"#, "completed",
            ])
    }

    @Test("A listener that comes later begins with the state then, and the effects that run then")
    func late() {
        let (signal, observer) = Signal<Event, NoError>.pipe()
        let loop = Self.loop(Self.whenAsked { _ in SignalProducer(signal) })
        loop.start()
        loop.send(.ask("a"))
        observer.send(value: .answer("b"))
        let first = Self.log(loop)
        observer.send(value: .answer("c"))
        let second = Self.log(loop)
        observer.sendCompleted()
        let third = Self.log(loop)
        #expect(
            first.entries == [
                "initial 1, running [whenAsked #1]", #"answer("c") from whenAsked #1"#, "completed whenAsked #1",
            ])
        #expect(second.entries == ["initial 2, running [whenAsked #1]", "completed whenAsked #1"])
        #expect(third.entries == ["initial 2, running []"])
    }

    @Test("A listener that is disposed hears nothing more, and the loop goes on")
    func disposed() {
        let loop = Self.loop()
        loop.start()
        let count = Log<Void>()
        let listening = loop.steps.startWithValues { _ in count.add(()) }
        loop.send(.ask("a"))
        listening.dispose()
        loop.send(.ask("b"))
        #expect(count.entries.count == 2)
        #expect(loop.state.query == "b")
    }

    @Test("Events that wait when the loop stops are reported as withdrawn")
    func stopping() {
        let loop = Self.loop()
        let log = Self.log(loop)
        loop.start()
        loop.signal.observeValues { [weak loop] state in
            if state.query == "a" {
                loop?.send(.answer("waiting"))
                loop?.stop()
            }
        }
        loop.send(.ask("a"))
        #expect(
            log.entries == [
                "initial 0, running []", #"ask(Optional("a")) from sent"#, #"withdrawn answer("waiting") from sent"#,
                "completed",
            ])
    }

    @Test("Steps of a loop that has ended, or never starts, complete, and keep no loop alive")
    func ends() {
        let never = Self.loop()
        let early = Self.log(never)
        never.stop()
        #expect(early.entries == ["completed"])
        #expect(Self.log(never).entries == ["completed"])

        var loop: FeedbackLoop? = Self.loop()
        loop?.start()
        weak let weakly = loop
        let steps = loop?.steps
        loop = nil
        #expect(weakly == nil)
        let log = Log<String>()
        steps?.startWithCompleted { log.add("completed") }
        #expect(log.entries == ["completed"])
    }

    // MARK: - Under stress

    @Test("Whatever threads do, each effect starts and ends once, around all its events", .onOwnThread)
    func stress() async {
        for round in 0..<40 {
            let loop = Self.loop(
                Self.whenAsked { query in
                    SignalProducer { observer, lifetime in
                        Thread.detachNewThread {
                            for number in 0..<20 where !lifetime.hasEnded {
                                observer.send(value: .answer("\(query).\(number)"))
                            }
                            observer.sendCompleted()
                        }
                    }
                },
                Feedback(
                    compacting: { $0.map(\.query).skipNil().observe(on: QueueScheduler(name: "steps")) },
                    effects: { SignalProducer<Event, NoError>([.answer($0), .answer($0)]) }, name: "elsewhere"))
            let early = Checker()
            if round % 2 == 0 { loop.steps.start(early.observer) }
            loop.start()
            let accepted = Atomic(0)
            let late = Checker()
            await onThreads(3) { thread in
                if thread == 0 {
                    loop.steps.start(late.observer)
                    let gone = Checker()
                    loop.steps.start(gone.observer).dispose()
                }
                for number in 0..<100 {
                    if loop.send(.ask(number % 4 == 3 ? nil : "\(thread)-\(number)")) {
                        accepted.add(1, ordering: .relaxed)
                    }
                    if round % 4 == 3, thread == 1, number == 50 { loop.stop() }
                }
            }
            loop.stop()
            await eventually("the steps complete") { late.isComplete && (early.isComplete || round % 2 != 0) }
            #expect(late.problems == [])
            #expect(early.problems == [])
            if round % 4 == 0 {
                #expect(early.sent == accepted.load(ordering: .relaxed), "each accepted event is reduced or withdrawn")
                #expect(early.answers == loop.state.answers, "all events are reported, in the order reduced")
            }
        }
    }

    /// Checks the order of steps while they come.
    private final class Checker: Sendable {
        private struct Findings: Sendable {
            var running: Set<LoopEffect> = []
            var ended: [LoopEffect: LoopEffect.End] = [:]
            var answers: [String]?
            var sent = 0
            var isComplete = false
            var problems: [String] = []
        }

        private let findings = Locked(Findings())

        var problems: [String] { findings.withLock { $0.problems } }
        var isComplete: Bool { findings.withLock { $0.isComplete } }
        var sent: Int { findings.withLock { $0.sent } }
        var answers: [String] { findings.withLock { $0.answers ?? [] } }

        var observer: Observer<Step, NoError> {
            Observer(value: { self.check($0) }, completed: { self.complete() })
        }

        private func complete() {
            findings.withLock { findings in
                if !findings.running.isEmpty { findings.problems.append("\(findings.running) never ended") }
                findings.isComplete = true
            }
        }

        private func check(_ step: Step) {
            findings.withLock { findings in
                var problem: String?
                switch step {
                case let .initial(state, running):
                    if findings.answers != nil { problem = "a second beginning" }
                    findings.answers = state.answers
                    findings.running = Set(running)
                case let .started(effect):
                    if findings.ended[effect] != nil || !findings.running.insert(effect).inserted {
                        problem = "started twice"
                    }
                case let .ended(effect, end):
                    if findings.running.remove(effect) == nil { problem = "ended without running" }
                    findings.ended[effect] = end
                case let .reduced(event, source, state):
                    if source == .sent { findings.sent += 1 }
                    if case let .effect(effect) = source, !findings.running.contains(effect) {
                        problem = "reduced although its effect does not run"
                    }
                    if case let .answer(answer) = event { findings.answers?.append(answer) }
                    if findings.answers != state.answers { problem = "the state is not the one after the event" }
                case let .withdrawn(_, source):
                    if source == .sent { findings.sent += 1 }
                    if case let .effect(effect) = source {
                        if findings.running.contains(effect) { problem = "withdrawn although its effect runs" }
                        if findings.ended[effect] == .completed { problem = "withdrawn although its effect completed" }
                    }
                }
                if let problem { findings.problems.append("\(describe(step)): \(problem)") }
            }
        }
    }
}
