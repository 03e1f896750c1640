import Feedback
import FeedbackTesting
import Testing

@Suite("Random pairs of streams, compared with a model", .onOwnThread)
struct RandomCombiningTests {
    enum Form: CaseIterable {
        case combineLatest, zip, merge, withLatest, sample, takeUntil, skipUntil, takeUntilReplacement

        /// True if the second stream cannot fail.
        var isSecondSafe: Bool {
            switch self {
            case .withLatest, .sample, .takeUntil, .skipUntil: true
            default: false
            }
        }
    }

    @Test(
        "The events are those of the model, also if an observer sends, ends and disposes", arguments: Form.allCases)
    func random(form: Form) {
        for seed in 0..<150 as Range<UInt64> {
            for isSignal in [false, true] {
                // An observation of a signal that is disposed is no interruption of the signal.
                var script = Script(seed: seed, form, canDispose: !isSignal)
                let steps = script.steps()
                let model = Model(form, reactions: script.reactions)
                let stream = Stream(form, reactions: script.reactions, isSignal: isSignal)
                for step in steps {
                    model.perform(step)
                    stream.perform(step)
                }
                #expect(stream.events == model.events, "seed \(seed), isSignal: \(isSignal)")
                stream.close()
            }
        }
    }

    /// Something that is done to a pair of streams.
    enum Step {
        case first(ModelEvent)
        case second(ModelEvent)
        case dispose
    }

    /// Makes steps, and those that an observer does when it gets its event with a number.
    struct Script {
        private(set) var reactions: [Int: [Step]] = [:]
        private var random: SeededNumbers
        private var value = 0
        private let form: Form
        private let canDispose: Bool

        init(seed: UInt64, _ form: Form, canDispose: Bool) {
            random = SeededNumbers(seed: seed)
            self.form = form
            self.canDispose = canDispose
        }

        mutating func steps() -> [Step] {
            for number in 0..<8 where Int.random(in: 0..<4, using: &random) == 0 {
                reactions[number] = (0..<Int.random(in: 1...3, using: &random)).map { _ in step() }
            }
            return (0..<Int.random(in: 2...20, using: &random)).map { _ in step() }
        }

        private mutating func step() -> Step {
            if canDispose, Int.random(in: 0..<40, using: &random) == 0 { return .dispose }
            value += 1
            let event: ModelEvent = Int.random(in: 0..<8, using: &random) == 0 ? .end(&random) : .value(value)
            if Bool.random(using: &random) { return .first(event) }
            return .second(event.error != nil && form.isSecondSafe ? .interrupted : event)
        }
    }
}

extension RandomCombiningTests {
    /// The streams as they are combined by definition, for one thread.
    final class Model {
        private(set) var events: [ModelEvent] = []

        private let form: Form
        private let reactions: [Int: [Step]]
        /// Each of the two, and the place where they meet.
        private let (first, second, junction) = (ModelLane(), ModelLane(), ModelLane())
        private var (firstEnd, secondEnd): (ModelEvent?, ModelEvent?)
        /// What has arrived there.
        private var (firsts, seconds): ([Int], [Int]) = ([], [])
        private var (firstHasEnded, secondHasEnded) = (false, false)
        private var isReplaced = false
        private var isDisposed = false
        private var hasEnded = false

        init(_ form: Form, reactions: [Int: [Step]]) { (self.form, self.reactions) = (form, reactions) }

        func perform(_ step: Step) {
            switch step {
            case let .first(event):
                first.perform {
                    guard self.firstEnd == nil, !self.isDisposed, !self.isReplaced else { return }
                    if event.isTerminating { self.firstEnd = event }
                    self.junction.perform { if !self.hasEnded { self.take(event) } }
                }
            case let .second(event):
                second.perform {
                    guard self.secondEnd == nil, !self.isDisposed else { return }
                    if event.isTerminating { self.secondEnd = event }
                    self.junction.perform { if !self.hasEnded { self.takeSecond(event) } }
                    // The first is disposed at once.
                    if self.form == .takeUntilReplacement, event.value != nil { self.isReplaced = true }
                }
            case .dispose:
                if hasEnded || isDisposed { return }
                isDisposed = true
                junction.perform { self.deliver(.interrupted) }
            }
        }

        private func take(_ event: ModelEvent) {
            if case let .value(value) = event { firsts.append(value) } else { firstHasEnded = true }
            switch (form, event) {
            case (.combineLatest, .value), (.zip, .value): deliverPair()
            case (.withLatest, .value): if !seconds.isEmpty { deliverPair() }
            case (.sample, .value): break
            case (.skipUntil, .value): if isTriggered { deliver(event) }
            case (.takeUntilReplacement, .value): if seconds.isEmpty { deliver(event) }
            case (.takeUntilReplacement, .completed): break
            case (.takeUntilReplacement, _): if seconds.isEmpty { deliver(event) }
            case (.merge, .value), (.takeUntil, _), (.skipUntil, _), (.withLatest, _): deliver(event)
            default: end(event)
            }
        }

        private func takeSecond(_ event: ModelEvent) {
            if case let .value(value) = event { seconds.append(value) } else { secondHasEnded = true }
            switch (form, event) {
            case (.combineLatest, .value), (.zip, .value): deliverPair()
            case (.sample, .value): if !firsts.isEmpty { deliverPair() }
            case (.withLatest, _): break
            case (.takeUntil, .value), (.takeUntil, .completed): deliver(.completed)
            case (.skipUntil, .value), (.skipUntil, .completed): isTriggered = true
            case (.takeUntil, _), (.skipUntil, _): break
            case (.merge, .value), (.takeUntilReplacement, _): deliver(event)
            default: end(event)
            }
        }

        private var isTriggered = false

        /// The number of pairs of a zip.
        private var pairs = 0

        private func deliverPair() {
            if form != .zip {
                if let first = firsts.last, let second = seconds.last { deliver(.value(first * 1000 + second)) }
                return
            }
            guard min(firsts.count, seconds.count) > pairs else { return }
            pairs += 1
            deliver(.value(firsts[pairs - 1] * 1000 + seconds[pairs - 1]))
            completeZip()
        }

        private func completeZip() {
            let isExhausted = firstHasEnded && firsts.count == pairs || secondHasEnded && seconds.count == pairs
            if isExhausted, !hasEnded { deliver(.completed) }
        }

        /// The end of one of two that both count.
        private func end(_ end: ModelEvent) {
            let isEndOfBoth = end.error != nil || end == .interrupted && form != .merge
            if isEndOfBoth { return deliver(end) }
            if form == .zip { completeZip() } else if firstHasEnded, secondHasEnded { deliver(.completed) }
        }

        private func deliver(_ event: ModelEvent) {
            if hasEnded || isDisposed && !event.isTerminating { return }
            hasEnded = event.isTerminating
            events.append(isDisposed ? .interrupted : event)
            if hasEnded { isDisposed = true }
            for step in reactions[events.count - 1] ?? [] where !hasEnded { perform(step) }
        }
    }

    /// The streams themselves.
    final class Stream: @unchecked Sendable {  // Used by one thread.
        private(set) var events: [ModelEvent] = []

        private let reactions: [Int: [Step]]
        private let first = Signal<Int, TestError>.pipe()
        private let second = Signal<Int, TestError>.pipe()
        private var signal: Signal<Int, TestError>?
        private var observation: (any Disposable)?

        init(_ form: Form, reactions: [Int: [Step]], isSignal: Bool) {
            self.reactions = reactions
            if isSignal {
                signal = Self.combine(form, first.output, second.output)
                observation = signal?.observe { self.receive($0) }
            } else {
                let producer = Self.combine(form, first.output.producer, second.output.producer)
                observation = producer.start { self.receive($0) }
            }
        }

        func perform(_ step: Step) {
            switch step {
            case let .first(event): first.input.send(event)
            case let .second(event): second.input.send(event)
            case .dispose: observation?.dispose()
            }
        }

        /// Lets go of what was made, which holds this.
        func close() {
            observation?.dispose()
            signal = nil
        }

        private func receive(_ event: ModelEvent) {
            events.append(event)
            if event.isTerminating { return }
            for step in reactions[events.count - 1] ?? [] { perform(step) }
        }

        private static func combine(_ form: Form, _ a: Producer<Int>, _ b: Producer<Int>) -> Producer<Int> {
            let pair: @Sendable (Int, Int) -> Int = { $0 * 1000 + $1 }
            let safe = b.replaceError(0)
            return switch form {
            case .combineLatest: a.combineLatest(with: b).map(pair)
            case .zip: a.zip(with: b).map(pair)
            case .merge: a.merge(with: b)
            case .withLatest: a.withLatest(from: safe).map(pair)
            case .sample: a.sample(with: safe).map(pair)
            case .takeUntil: a.take(until: safe.map(value: ()))
            case .skipUntil: a.skip(until: safe.map(value: ()))
            case .takeUntilReplacement: a.take(untilReplacement: b)
            }
        }

        private static func combine(_ form: Form, _ a: Pipe<Int>, _ b: Pipe<Int>) -> Pipe<Int> {
            let pair: @Sendable (Int, Int) -> Int = { $0 * 1000 + $1 }
            let safe = b.replaceError(0)
            return switch form {
            case .combineLatest: a.combineLatest(with: b).map(pair)
            case .zip: a.zip(with: b).map(pair)
            case .merge: a.merge(with: b)
            case .withLatest: a.withLatest(from: safe).map(pair)
            case .sample: a.sample(with: safe).map(pair)
            case .takeUntil: a.take(until: safe.map(value: ()))
            case .skipUntil: a.skip(until: safe.map(value: ()))
            case .takeUntilReplacement: a.take(untilReplacement: b)
            }
        }
    }
}
