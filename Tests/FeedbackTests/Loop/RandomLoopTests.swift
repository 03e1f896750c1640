import Feedback
import FeedbackTesting
import Testing

@Suite("Random loops with a feedback of each kind, compared with a model", .onOwnThread)
struct RandomLoopTests {
    @Test("Events are reduced, and effects started and torn down, in the order of the model")
    func random() {
        for seed in 0..<100 as Range<UInt64> {
            var script = Script(seed: seed)
            let steps = script.steps()
            let model = Model(script.effects)
            let real = Real(script.effects)
            for step in steps {
                model.perform(step)
                real.perform(step)
            }
            #expect(real.log == model.log, "seed \(seed)")
        }
    }

    struct State: Equatable, Sendable {
        var flag = false
        var number = 0
        var wanted: Int?
        var items: [Int] = []
        var part: Int?
    }

    enum Event: Equatable, Sendable {
        case flip
        case number(Int)
        case want(Int?)
        case toggle(Int)
        case part(Int?)
        case ping(Int)
    }

    @Sendable static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .flip: state.flag.toggle()
        case let .number(number): state.number = number
        case let .want(wanted): state.wanted = wanted
        case let .toggle(item):
            if let index = state.items.firstIndex(of: item) {
                state.items.remove(at: index)
            } else {
                state.items.append(item)
            }
        case let .part(part): state.part = part
        case .ping: break
        }
    }

    /// Something that is done to a loop. Effects have numbers, in the order of their starts.
    enum Step {
        case send(Event)
        case effect(Int, Event)
        case complete(Int)
        case stop
    }

    /// What an effect does at its start.
    struct Effect {
        var events: [Event] = []
        var completes = false
    }

    struct Script {
        /// By the number of the effect; the others do nothing at their start.
        private(set) var effects: [Int: Effect] = [:]
        private var random: SeededNumbers

        init(seed: UInt64) {
            random = SeededNumbers(seed: seed)
            for number in 1...20 where self.number(0...2) == 0 {
                effects[number] = Effect(events: (0..<self.number(0...3)).map { _ in event() }, completes: flip())
            }
        }

        mutating func steps() -> [Step] {
            (0..<number(5...40)).map { _ in
                switch number(0...29) {
                case 0: .stop
                case 1...4: .complete(number(1...20))
                case 5...12: .effect(number(1...20), event())
                default: .send(event())
                }
            }
        }

        private mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
        private mutating func flip() -> Bool { .random(using: &random) }

        private mutating func event() -> Event {
            switch number(0...6) {
            case 0: .flip
            case 1: .number(number(0...2))
            case 2: .want(flip() ? nil : number(0...2))
            case 3, 4: .toggle(number(0...3))
            case 5: .part(flip() ? nil : number(0...1))
            default: .ping(number(0...5))
            }
        }
    }
}

extension RandomLoopTests {
    /// The loop as it is defined.
    final class Model {
        private(set) var log: [String] = []

        private let effects: [Int: Effect]
        private var state = State()
        private var before: (flag: Bool, number: Int?, wanted: Int?) = (false, nil, nil)
        private var lastPart: Int?
        /// The effects that were started last by each feedback with one effect at a time, also if they have completed.
        private var latest: [String: Int] = [:]
        private var items: [Int] = []
        private var itemEffects: [Int: Int] = [:]
        private var partEffects: [Int] = []
        private var running: Set<Int> = []
        private var withdrawn: Set<Int> = []
        private var count = 0
        private var queue: [(event: Event, effect: Int?)] = []
        private var isBusy = true
        private var hasStopped = false

        init(_ effects: [Int: Effect]) {
            self.effects = effects
            react(to: nil)
            work()
        }

        func perform(_ step: Step) {
            switch step {
            case let .send(event): enqueue(event, nil)
            case let .effect(number, event): if running.contains(number) { enqueue(event, number) }
            case let .complete(number): end(number)
            case .stop:
                hasStopped = true
                for number in running.sorted() { end(number) }
            }
        }

        private func enqueue(_ event: Event, _ effect: Int?) {
            if hasStopped { return }
            queue.append((event, effect))
            if !isBusy { work() }
        }

        private func work() {
            isBusy = true
            while !queue.isEmpty {
                let (event, effect) = queue.removeFirst()
                if let effect, withdrawn.contains(effect) { continue }
                reduce(&state, event)
                log.append("\(event)")
                react(to: event)
            }
            isBusy = false
        }

        private func react(to event: Event?) {
            if state.flag { start("predicate") } else { cancel("predicate") }
            if state.flag != before.flag { if state.flag { start("becomesTrue") } else { cancel("becomesTrue") } }
            if state.wanted != nil { start("lensing") } else { cancel("lensing") }
            if state.wanted != before.wanted {
                if state.wanted != nil { start("skippingRepeated") } else { cancel("skippingRepeated") }
            }
            if state.wanted != before.wanted || event == .ping(0) {
                if state.wanted != nil { start("restarting") } else { cancel("restarting") }
            }
            if state.wanted == nil { cancel("firstValue") } else if before.wanted == nil { start("firstValue") }
            if case let .ping(number) = event, number < 3 { start("extracting") }
            if state.items != items { updateItems() }
            updatePart()
            if state.number != before.number { start("compacting") }
            before = (state.flag, state.number, state.wanted)
        }

        private func updateItems() {
            for item in items where !state.items.contains(item) {
                if let number = itemEffects.removeValue(forKey: item) { withdraw(number) }
            }
            items = state.items
            for item in items where itemEffects[item] == nil {
                itemEffects[item] = count + 1
                begin("eachNew")
            }
        }

        private func updatePart() {
            if state.part == nil {
                withdrawn.formUnion(partEffects)
                for number in partEffects { end(number) }
                partEffects = []
                latest["part"] = nil
            } else if state.part != lastPart {
                partEffects.append(count + 1)
                start("part")
            }
            lastPart = state.part
        }

        private func start(_ feedback: String) {
            let replaced = latest[feedback]
            latest[feedback] = count + 1
            if let replaced { withdraw(replaced) }
            begin(feedback)
        }

        private func cancel(_ feedback: String) {
            if let number = latest.removeValue(forKey: feedback) { withdraw(number) }
        }

        private func withdraw(_ number: Int) {
            withdrawn.insert(number)
            end(number)
        }

        private func begin(_ feedback: String) {
            count += 1
            let number = count
            running.insert(number)
            log.append("+\(number) \(feedback)")
            for event in effects[number]?.events ?? [] { enqueue(event, number) }
            if effects[number]?.completes ?? false { end(number) }
        }

        private func end(_ number: Int) {
            if running.remove(number) != nil { log.append("-\(number)") }
        }
    }

    /// The loop itself.
    final class Real: Sendable {
        private let events = Log<String>()
        private let loop: FeedbackLoop<State, Event>
        private let inputs = Shared<[Int: Observer<Event, NoError>]>([:])

        var log: [String] { events.entries }

        init(_ effects: [Int: Effect]) {
            let (events, inputs, count) = (events, inputs, Shared(0))
            @Sendable func effect(_ feedback: String) -> SignalProducer<Event, NoError> {
                SignalProducer { observer, lifetime in
                    count.modify { $0 += 1 }
                    let number = count.value
                    inputs.modify { $0[number] = observer }
                    events.add("+\(number) \(feedback)")
                    lifetime.observeEnded { events.add("-\(number)") }
                    for event in effects[number]?.events ?? [] { observer.send(value: event) }
                    if effects[number]?.completes ?? false { observer.sendCompleted() }
                }
            }
            @Sendable func reduce(_ state: inout State, _ event: Event) {
                RandomLoopTests.reduce(&state, event)
                events.add("\(event)")
            }
            let numbers = { @Sendable (states: SignalProducer<State, NoError>) in states.map(\.number).skipRepeats() }
            let restarts = { @Sendable (event: Event) -> Bool in event == .ping(0) }
            let ping = { @Sendable (event: Event) -> Int? in
                if case let .ping(number) = event, number < 3 { number } else { nil }
            }
            // One by one, as the compiler gives up on so long an expression.
            let part = Feedback<Int, Event>(skippingRepeated: { $0 }, effects: { _ in effect("part") })
            var all: [Feedback<State, Event>] = []
            all.append(Feedback(predicate: \.flag, effects: { _ in effect("predicate") }))
            all.append(Feedback(whenBecomesTrue: \.flag, effects: { _ in effect("becomesTrue") }))
            all.append(Feedback(lensing: \.wanted, effects: { _ in effect("lensing") }))
            all.append(Feedback(skippingRepeated: \.wanted, effects: { _ in effect("skippingRepeated") }))
            all.append(
                Feedback(
                    skippingRepeated: \.wanted, restartingOn: restarts, effects: { _ in effect("restarting") }))
            all.append(Feedback(firstValueAfterNil: \.wanted, effects: { _ in effect("firstValue") }))
            all.append(Feedback(extracting: ping, effects: { _ in effect("extracting") }))
            all.append(Feedback(eachNew: \.items, effects: { _ in effect("eachNew") }))
            all.append(.pullback(part, value: \.part, event: { $0 }, extract: { $0 }))
            all.append(Feedback(compacting: numbers, effects: { _ in effect("compacting") }))
            loop = FeedbackLoop(initial: State(), reduce: reduce, feedbacks: all)
            loop.start()
        }

        func perform(_ step: Step) {
            switch step {
            case let .send(event): loop.send(event)
            case let .effect(number, event): inputs.value[number]?.send(value: event)
            case let .complete(number): inputs.value[number]?.sendCompleted()
            case .stop: loop.stop()
            }
        }
    }
}
