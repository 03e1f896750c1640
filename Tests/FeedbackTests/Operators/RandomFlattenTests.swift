import Feedback
import FeedbackTesting
import Testing

@Suite("Random streams of streams, compared with a model", .onOwnThread)
struct RandomFlattenTests {
    @Test(
        "Events, starts and teardowns are those of the model, also if an observer sends, ends and disposes",
        arguments: [
            (.merge, .max), (.concat, 1), (.concurrent(limit: 2), 2), (.latest, 1), (.race, .max), (.throttle, 1),
        ] as [(FlattenStrategy, Int)])
    func random(strategy: FlattenStrategy, limit: Int) {
        for seed in 0..<60 as Range<UInt64> {
            for isSignal in [false, true] {
                // An observation of a signal that is disposed is no interruption of the signal.
                var script = Script(seed: seed, canDispose: !isSignal)
                let steps = script.steps()
                let model = Model(strategy, limit: limit, reactions: script.reactions)
                let stream = Stream(strategy, reactions: script.reactions, isSignal: isSignal)
                for step in steps {
                    model.perform(step)
                    stream.perform(step)
                }
                #expect(stream.events == model.events, "seed \(seed), isSignal: \(isSignal)")
                #expect(stream.starts == model.starts, "seed \(seed), isSignal: \(isSignal)")
                #expect(stream.running == model.running.map(\.number), "seed \(seed), isSignal: \(isSignal)")
                stream.close()
            }
        }
    }

    /// Something that is done to a flattened stream.
    indirect enum Step {
        /// The outer stream delivers an inner one, which delivers these at its start.
        case arrive(Int, [ModelEvent])
        case endOuter(ModelEvent)
        /// The inner stream with a number delivers an event.
        case inner(Int, ModelEvent)
        case dispose
    }

    /// Makes steps, and those that an observer does when it gets a value.
    struct Script {
        private(set) var reactions: [Int: [Step]] = [:]
        private var random: SeededNumbers
        private var inner = 0
        private var value = 0
        private let canDispose: Bool

        init(seed: UInt64, canDispose: Bool) {
            random = SeededNumbers(seed: seed)
            self.canDispose = canDispose
        }

        mutating func steps() -> [Step] { (0..<number(3...40)).map { _ in step(depth: 0) } }

        private mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }

        private mutating func step(depth: Int) -> Step {
            switch number(0...19) {
            case 0...5:
                inner += 1
                let number = inner
                var events = (0..<self.number(0...2)).map { _ in newValue(depth) }
                if self.number(0...2) == 0 { events.append(.end(&random)) }
                return .arrive(number, events)
            case 6 where number(0...2) == 0: return .endOuter(.end(&random))
            case 7 where canDispose && number(0...3) == 0: return .dispose
            case 8...11: return .inner(one(), .end(&random))
            default: return .inner(one(), newValue(depth))
            }
        }

        /// One of the last inner streams.
        private mutating func one() -> Int { number(max(1, inner - 4)...max(1, inner)) }

        private mutating func newValue(_ depth: Int) -> ModelEvent {
            value += 1
            let new = value
            if depth < 3, number(0...4) == 0 {
                reactions[new] = (0..<number(1...3)).map { _ in step(depth: depth + 1) }
            }
            return .value(new)
        }
    }
}

extension RandomFlattenTests {
    /// The stream as it is defined, for one thread.
    final class Model {
        final class Inner {
            let number: Int
            let atStart: [ModelEvent]
            let lane = ModelLane()
            var hasEnded = false
            var isReplaced = false

            init(_ number: Int, _ atStart: [ModelEvent]) { (self.number, self.atStart) = (number, atStart) }
        }

        private(set) var events: [ModelEvent] = []
        private(set) var starts: [Int] = []
        private(set) var running: [Inner] = []

        private let strategy: FlattenStrategy
        private let limit: Int
        private let reactions: [Int: [Step]]
        private let outer = ModelLane()
        private let junction = ModelLane()
        private var inners: [Int: Inner] = [:]
        private var waiting: [Inner] = []
        private var winner: Inner?
        private var outerEnd: ModelEvent?
        private var isDisposed = false
        private var hasEnded = false
        private var isOver: Bool { isDisposed || hasEnded }

        init(_ strategy: FlattenStrategy, limit: Int, reactions: [Int: [Step]]) {
            (self.strategy, self.limit, self.reactions) = (strategy, limit, reactions)
        }

        func perform(_ step: Step) {
            switch step {
            case let .arrive(number, atStart):
                outer.perform { if self.outerEnd == nil, !self.isOver { self.arrive(Inner(number, atStart)) } }
            case let .endOuter(end):
                outer.perform {
                    guard self.outerEnd == nil, !self.isOver else { return }
                    self.outerEnd = end
                    if end == .completed { self.completeIfDone() } else { self.finish(end) }
                }
            case let .inner(number, event):
                if let inner = inners[number] { send(event, of: inner) }
            case .dispose:
                if isOver { return }
                isDisposed = true
                finish(.interrupted)
                tearDown()
            }
        }

        private func arrive(_ inner: Inner) {
            switch strategy {
            case .latest:
                for replaced in running { (replaced.isReplaced, replaced.hasEnded) = (true, true) }
                running = []
            case .race: if winner != nil { return }
            case .throttle: if !running.isEmpty { return }
            default: if running.count == limit { return waiting.append(inner) }
            }
            start(inner)
        }

        private func start(_ inner: Inner) {
            running.append(inner)
            inners[inner.number] = inner
            starts.append(inner.number)
            for event in inner.atStart { send(event, of: inner) }
        }

        private func send(_ event: ModelEvent, of inner: Inner) {
            inner.lane.perform {
                guard !inner.hasEnded, self.counts(inner) else { return }
                if event.isTerminating { return self.end(inner, event) }
                self.junction.perform { if !inner.isReplaced { self.deliver(event) } }
            }
        }

        /// In a race, the first that delivers anything makes the others end.
        private func counts(_ inner: Inner) -> Bool {
            guard strategy == .race, winner == nil else { return true }
            winner = inner
            for loser in running where loser !== inner { loser.hasEnded = true }
            running = [inner]
            return true
        }

        private func end(_ inner: Inner, _ end: ModelEvent) {
            inner.hasEnded = true
            running.removeAll { $0 === inner }
            let passesInterruption = strategy == .race || strategy == .throttle
            if end.error != nil || end == .interrupted && passesInterruption { return finish(end) }
            if waiting.isEmpty { completeIfDone() } else { start(waiting.removeFirst()) }
        }

        private func completeIfDone() {
            if outerEnd == .completed, running.isEmpty, waiting.isEmpty, !isOver { finish(.completed) }
        }

        private func finish(_ end: ModelEvent) {
            junction.perform { self.deliver(self.isDisposed ? .interrupted : end) }
        }

        private func deliver(_ event: ModelEvent) {
            if hasEnded || isDisposed && !event.isTerminating { return }
            hasEnded = event.isTerminating
            events.append(event)
            if hasEnded { tearDown() }
            for step in event.value.flatMap({ reactions[$0] }) ?? [] { perform(step) }
        }

        private func tearDown() {
            for inner in running { inner.hasEnded = true }
            (running, waiting) = ([], [])
        }
    }

    /// The stream itself.
    final class Stream: @unchecked Sendable {  // Used by one thread.
        private(set) var events: [ModelEvent] = []
        private(set) var starts: [Int] = []
        private(set) var running: [Int] = []

        private let reactions: [Int: [Step]]
        private let outer = Signal<(Int, [ModelEvent]), TestError>.pipe()
        private var inputs: [Int: Observer<Int, TestError>] = [:]
        private var signal: Signal<Int, TestError>?
        private var observation: (any Disposable)?

        init(_ strategy: FlattenStrategy, reactions: [Int: [Step]], isSignal: Bool) {
            self.reactions = reactions
            if isSignal {
                signal = outer.output.flatMap(strategy) { self.inner($0, $1) }
                observation = signal?.observe { self.receive($0) }
            } else {
                observation = outer.output.producer.flatMap(strategy) { self.inner($0, $1) }.start { self.receive($0) }
            }
        }

        func perform(_ step: Step) {
            switch step {
            case let .arrive(number, atStart): outer.input.send(value: (number, atStart))
            case let .endOuter(end): outer.input.send(end.map { _ in (0, []) })
            case let .inner(number, event): inputs[number]?.send(event)
            case .dispose: observation?.dispose()
            }
        }

        /// Lets go of what was made, which holds this.
        func close() {
            observation?.dispose()
            outer.input.sendInterrupted()
            (signal, inputs) = (nil, [:])
        }

        private func inner(_ number: Int, _ atStart: [ModelEvent]) -> Producer<Int> {
            Producer { [self] observer, lifetime in
                starts.append(number)
                running.append(number)
                inputs[number] = observer
                lifetime.observeEnded { [self] in running.removeAll { $0 == number } }
                for event in atStart { observer.send(event) }
            }
        }

        private func receive(_ event: ModelEvent) {
            events.append(event)
            for step in event.value.flatMap({ reactions[$0] }) ?? [] { perform(step) }
        }
    }
}
