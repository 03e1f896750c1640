import FeedbackTesting
import Foundation
import Synchronization
import Testing

@testable import Feedback

/// The laws of the loop, each under stress.
@Suite("Laws of the loop", .onOwnThread)
struct LawTests {
    // MARK: - First in, first reduced

    @Test("A million events from eight threads are each reduced once, in each thread's own order")
    func millionEventsFromEightThreads() async {
        struct State: Sendable {
            var next = [Int](repeating: 0, count: 8)
            var outOfOrder = 0
        }
        struct Event: Sendable { var thread: Int, number: Int }
        let loop = FeedbackLoop<State, Event>(initial: State()) { state, event in
            if state.next[event.thread] != event.number { state.outOfOrder += 1 }
            state.next[event.thread] += 1
        }
        loop.start()
        let count = 125_000

        await onThreads(8) { thread in
            for number in 0..<count { loop.send(Event(thread: thread, number: number)) }
        }

        // The last thread inside has left, or is about to: an event that is sent now is reduced after all others.
        loop.send(Event(thread: 0, number: count))
        #expect(loop.state.next == [count + 1] + [Int](repeating: count, count: 7))
        #expect(loop.state.outOfOrder == 0)
    }

    @Test("Events sent by observers and effects are reduced after the one under way, in order")
    func reentrantSendsAreQueued() {
        let loop = FeedbackLoop<[Int], Int>(initial: []) { $0.append($1) }
        loop.start()
        let isReduced = Log<Int>()
        loop.signal.observeValues { [weak loop] state in
            isReduced.add(state.count)
            if state == [1] {
                loop?.send(2)
                loop?.send(3)
                #expect(loop?.state == [1], "nothing is reduced inside an observer")
            }
        }

        loop.send(1)

        #expect(loop.state == [1, 2, 3])
        #expect(isReduced.entries == [1, 2, 3])
    }

    @Test("Re-entrant sends to a depth of 100,000 do not grow the stack")
    func deepReentrance() {
        let depth = 100_000
        let nesting = Serial(0)
        let deepest = Serial(0)
        let loop = FeedbackLoop<Int, Void>(
            initial: 0, reduce: { state, _ in state += 1 },
            feedbacks: [
                Feedback(predicate: { 0 < $0 && $0 < depth }) { _ -> SignalProducer<Void, NoError> in
                    SignalProducer { observer, _ in
                        nesting.value += 1
                        deepest.value = max(deepest.value, nesting.value)
                        observer.send(value: ())
                        observer.sendCompleted()
                        nesting.value -= 1
                    }
                }
            ])
        loop.start()

        loop.send(())

        #expect(loop.state == depth)
        #expect(deepest.value == 1, "an effect ran inside the sending of another one")
    }

    @Test("While a loop is stopped, each thread's events are reduced up to some event without a gap, and none after it")
    func acceptedOrRefused() async {
        struct Event: Sendable { var thread: Int, number: Int }
        for round in 0..<200 {
            let loop = FeedbackLoop<[[Int]], Event>(initial: [[], [], []]) { $0[$1.thread].append($1.number) }
            loop.start()
            let sent = Atomic(0)
            let accepted = Locked<[[Bool]]>([[], [], []])
            await onThreads(3) { thread in
                if thread == 0 {
                    while sent.load(ordering: .relaxed) < round % 60 {}
                    return loop.stop()
                }
                var answers: [Bool] = []
                for number in 0..<50 {
                    answers.append(loop.send(Event(thread: thread, number: number)))
                    sent.add(1, ordering: .relaxed)
                }
                accepted.withLock { $0[thread] = answers }
            }
            let reduced = loop.state
            for thread in 1...2 {
                let answers = accepted.withLock { $0[thread] }
                let count = answers.prefix { $0 }.count
                #expect(!answers.dropFirst(count).contains(true), "an event was accepted after one was refused")
                #expect(reduced[thread] == Array(0..<reduced[thread].count), "an event was lost, repeated or overtaken")
                #expect(reduced[thread].count <= count, "a refused event was reduced")
            }
            #expect(loop.send(Event(thread: 1, number: 50)) == false)
            #expect(loop.state == reduced, "an event was reduced after the stop")
        }
    }

    @Test("Without other threads, each event that is accepted before the stop is reduced")
    func acceptedByOneThread() {
        for count in [0, 1, 2, 300, 10_000] {
            let loop = FeedbackLoop<Int, Int>(initial: 0) { $0 += $1 }
            loop.start()
            for _ in 0..<count { #expect(loop.send(1)) }
            loop.stop()
            #expect(loop.state == count)
        }
    }

    // MARK: - Withdrawn with its effect

    @Test("An effect that is cancelled has its queued events withdrawn, also when it has completed")
    func queuedEventsAreWithdrawn() {
        enum Event: Sendable { case start, cancel, effect }
        struct State: Sendable {
            var isRunning = false
            var effects = 0
        }
        let loop = FeedbackLoop<State, Event>(
            initial: State(),
            reduce: { state, event in
                switch event {
                case .start: state.isRunning = true
                case .cancel: state.isRunning = false
                case .effect: state.effects += 1
                }
            },
            feedbacks: [
                // Queued first, so that the effect's events wait behind it.
                Feedback(extracting: { if case .start = $0 { () } else { nil } }) { _ in
                    SignalProducer<Event, NoError>(value: .cancel)
                },
                Feedback(whenBecomesTrue: \.isRunning) { _ in
                    SignalProducer<Event, NoError>([.effect, .effect])
                },
            ])
        loop.start()

        loop.send(.start)

        #expect(loop.state.isRunning == false)
        #expect(loop.state.effects == 0)
    }

    @Test("An effect that is replaced has its queued events withdrawn, and its successor's are reduced")
    func replacedEffectIsWithdrawn() {
        struct State: Sendable, Equatable {
            var query = ""
            var answers: [String] = []
        }
        enum Event: Sendable { case type(String), answer(String) }
        let loop = FeedbackLoop<State, Event>(
            initial: State(),
            reduce: { state, event in
                switch event {
                case let .type(query): state.query = query
                case let .answer(answer): state.answers.append(answer)
                }
            },
            feedbacks: [
                Feedback(extracting: { if case .type("a") = $0 { () } else { nil } }) { _ in
                    SignalProducer<Event, NoError>(value: .type("b"))
                },
                Feedback(skippingRepeated: { $0.query.isEmpty ? nil : $0.query }) { query in
                    SignalProducer<Event, NoError>(value: .answer(query))
                },
            ])
        loop.start()

        loop.send(.type("a"))

        #expect(loop.state == State(query: "b", answers: ["b"]))
    }

    @Test("Events of an outside source are never withdrawn")
    func sourceIsNeverWithdrawn() {
        let (signal, observer) = Signal<Int, NoError>.pipe()
        let loop = FeedbackLoop<[Int], Int>(
            initial: [], reduce: { $0.append($1) },
            feedbacks: [
                Feedback(source: signal, as: { $0 }),
                Feedback(predicate: { $0 == [1] }) { _ in
                    SignalProducer<Int, NoError> { effect, _ in
                        effect.send(value: 10)
                        observer.send(value: 2)
                        effect.send(value: 11)
                        observer.sendCompleted()
                    }
                },
            ])
        loop.start()

        observer.send(value: 1)

        // 10 was reduced first, which cancelled the effect: 11 is withdrawn, 2 is not.
        #expect(loop.state == [1, 10, 2])
    }

    @Test("After the state change that cancels an effect, none of its events is reduced, whatever thread sends them")
    func cancelledWhileSending() {
        enum Event: Sendable { case start(Int), stop, effect(Int), finish }
        struct State: Sendable {
            var current: Int?
            var late = 0
            var isFinished = false
        }
        let feedback = Feedback<State, Event>(skippingRepeated: \.current) { run in
            SignalProducer<Event, NoError> { observer, lifetime in
                Thread.detachNewThread {
                    for _ in 0..<500 where !lifetime.hasEnded { observer.send(value: .effect(run)) }
                }
            }
        }
        let loop = FeedbackLoop<State, Event>(
            initial: State(),
            reduce: { state, event in
                switch event {
                case let .start(run): state.current = run
                case .stop: state.current = nil
                case let .effect(run): if state.current != run { state.late += 1 }
                case .finish: state.isFinished = true
                }
            }, feedbacks: [feedback])
        let isFinished = DispatchSemaphore(value: 0)
        loop.signal.observeValues { if $0.isFinished { isFinished.signal() } }
        loop.start()

        for run in 0..<300 { loop.send(run % 3 == 2 ? .stop : .start(run)) }
        loop.send(.stop)
        loop.send(.finish)

        #expect(isFinished.wait(timeout: .now() + 60) == .success)
        #expect(loop.state.late == 0)
    }

    // MARK: - No copy of State

    @Test("A state of 100,000 entities is never copied, while properties, selections, feedbacks and steps watch it")
    func noCopies() {
        let entities = Entities(count: 100_000)
        let loop = FeedbackLoop<EntityState, Int>(
            initial: EntityState(entities: entities),
            reduce: { state, index in
                state.entities.increment(index)
                state.count += 1
            },
            feedbacks: [
                Feedback(skippingRepeated: \.count) { _ in SignalProducer<Int, NoError>.empty },
                Feedback(predicate: { $0.count < 0 }) { _ in SignalProducer<Int, NoError>.empty },
                Feedback(compacting: { states in
                    SignalProducer<Int, NoError> { observer, lifetime in
                        lifetime += states.startWithValues { observer.send(value: $0.count) }
                    }
                }) { _ in SignalProducer<Int, NoError>.empty },
            ])
        let rendered = Log<Int>()
        loop.start()
        loop.producer.startWithValues { rendered.add($0.entities[7]) }
        let reported = Log<Int>()
        loop.steps.startWithValues { if case let .reduced(_, _, state) = $0 { reported.add(state.entities[7]) } }
        let selection = loop.select { $0.entities[7] }
        let inputs = loop.select(\.count) { $0 * 2 }
        Entities.copies.store(0, ordering: .relaxed)

        for _ in 0..<1_000 { loop.send(7) }

        #expect(loop.state.entities[7] == 1_007)
        #expect(selection.value == 1_007)
        #expect(inputs.value == 2_000)
        #expect(rendered.entries.count == 1_001)
        #expect(reported.entries.count == 1_000)
        #expect(Entities.copies.load(ordering: .relaxed) <= 1, "one copy at most, for the initial value held here")
        withExtendedLifetime(entities) {}
    }

    // MARK: - Gone is gone

    @Test("Letting go of a loop disposes its effects, and nothing fires later")
    func droppedLoop() {
        let isDisposed = Log<Void>()
        let (signal, observer) = Signal<Int, NoError>.pipe()
        let reduced = Log<Int>()
        var loop: FeedbackLoop<Int, Int>? = FeedbackLoop(
            initial: 0,
            reduce: {
                reduced.add($1)
                $0 += $1
            },
            feedbacks: [
                Feedback(source: signal),
                Feedback(whenBecomesTrue: { $0 > 0 }) { _ in
                    SignalProducer<Int, NoError> { observer, lifetime in
                        lifetime.observeEnded {
                            isDisposed.add(())
                            withExtendedLifetime(observer) {}
                        }
                    }
                },
            ])
        let ends = Log<SignalEvent<Int, NoError>>()
        loop?.signal.observe { if $0.isTerminating { ends.add($0) } }
        loop?.start()
        loop?.send(1)
        #expect(isDisposed.entries.count == 0)

        loop = nil

        #expect(isDisposed.entries.count == 1)
        #expect(ends.entries == [.completed])
        observer.send(value: 5)
        #expect(reduced.entries == [1])
    }

    @Test("10,000 loops made and dropped leave nothing behind")
    func noLeaks() {
        let census = Tracked.Census()
        for index in 0..<10_000 {
            let tracked = census.make()
            let loop = FeedbackLoop<Int, Int>(
                initial: 0,
                reduce: { state, event in
                    tracked.touch()
                    state += event
                },
                feedbacks: [
                    Feedback(predicate: { $0 == 1 }) { _ -> SignalProducer<Int, NoError> in
                        SignalProducer { observer, lifetime in
                            lifetime.observeEnded { tracked.touch() }
                            observer.send(value: 1)
                            // Held beyond the end, as careless code does.
                            lifetime.observeEnded { withExtendedLifetime((observer, tracked)) {} }
                        }
                    },
                    .custom { states, output in states.startWithValues { _ in tracked.touch() } },
                ])
            loop.producer.startWithValues { _ in tracked.touch() }
            let selection = loop.select { _ in
                tracked.touch()
                return 0
            }
            loop.start()
            loop.send(1)
            // Some are stopped, some never, and some are dropped while they run.
            if index % 3 == 0 { loop.stop() }
            withExtendedLifetime(selection) {}
        }
        #expect(census.living == 0)
    }

    @Test("A loop that is dropped on one thread while others send to it ends cleanly")
    func droppedWhileSending() {
        let census = Tracked.Census()
        for _ in 0..<300 {
            let tracked = census.make()
            let (signal, observer) = Signal<Int, NoError>.pipe()
            let box = Locked<FeedbackLoop<Int, Int>?>(
                FeedbackLoop(
                    initial: 0,
                    reduce: { state, event in
                        tracked.touch()
                        state += event
                    },
                    feedbacks: [
                        Feedback(source: signal),
                        Feedback(lensing: { $0 }) { _ in
                            tracked.touch()
                            return SignalProducer<Int, NoError>.never
                        },
                    ]))
            box.withLock { $0?.start() }
            dropWhileSending(box, observer)
        }
        #expect(census.living == 0)
    }

    private func dropWhileSending(
        _ box: borrowing Locked<FeedbackLoop<Int, Int>?>, _ observer: Observer<Int, NoError>
    ) {
        let group = DispatchGroup()
        for _ in 0..<2 {
            group.enter()
            Thread.detachNewThread {
                for _ in 0..<100 { observer.send(value: 1) }
                group.leave()
            }
        }
        _ = box.withLock { $0.take() }
        group.wait()
    }
}

private struct EntityState: Sendable {
    var entities: Entities
    var count = 0
}

/// Many integers that are copied when they are changed while shared, and that count those copies.
private struct Entities: Sendable {
    static let copies = Atomic(0)

    private final class Storage: @unchecked Sendable {
        // Guarded by being changed only while uniquely referenced.
        var values: [Int]

        init(_ values: [Int]) { self.values = values }
    }

    private var storage: Storage

    init(count: Int) { storage = Storage(Array(0..<count)) }

    subscript(index: Int) -> Int { storage.values[index] }

    mutating func increment(_ index: Int) {
        if !isKnownUniquelyReferenced(&storage) {
            Self.copies.add(1, ordering: .relaxed)
            storage = Storage(storage.values)
        }
        storage.values[index] += 1
    }
}
