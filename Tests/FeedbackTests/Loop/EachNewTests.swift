import FeedbackTesting
import Foundation
import Synchronization
import Testing

@testable import Feedback

/// An effect for each of several things: what starts when, and what ends when.
@Suite("Feedback(eachNew:)")
struct EachNewTests {
    struct Job: Equatable, Sendable {
        var id: Int
        var progress = 0
    }

    struct State: Equatable, Sendable {
        var jobs: [Job] = []
        var done: [String] = []
        var ids: [Int] { jobs.map(\.id) }
    }

    enum Event: Equatable, Sendable {
        case set([Int])
        case progress(Int)
        case did(Int, String)
        case nothing
    }

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case let .set(ids): state.jobs = ids.map { Job(id: $0) }
        case let .progress(id):
            for index in state.jobs.indices where state.jobs[index].id == id { state.jobs[index].progress += 1 }
        case let .did(id, text): state.done.append("\(id) \(text)")
        case .nothing: break
        }
    }

    /// The effects that were started, each with the observer that sends its events.
    private final class Effects: Sendable {
        let log = Locked<[String]>([])
        private let observers = Locked<[Int: Signal<Event, NoError>.Observer]>([:])

        func make(_ id: Int) -> SignalProducer<Event, NoError> {
            SignalProducer { [self] observer, lifetime in
                log.withLock { $0.append("+\(id)") }
                observers.withLock { $0[id] = observer }
                lifetime.observeEnded { [self] in log.withLock { $0.append("-\(id)") } }
            }
        }

        func send(_ id: Int, _ text: String) { observers.withLock { $0[id] }?.send(value: .did(id, text)) }
        func complete(_ id: Int) { observers.withLock { $0[id] }?.sendCompleted() }

        /// What has started and ended since the last look.
        func take() -> [String] {
            log.withLock { log in
                defer { log = [] }
                return log
            }
        }
    }

    private func loop(_ effects: Effects, _ initial: State = State()) -> FeedbackLoop<State, Event> {
        let loop = FeedbackLoop<State, Event>(
            initial: initial, reduce: Self.reduce, feedbacks: [Feedback(eachNew: \.ids) { effects.make($0) }])
        loop.start()
        return loop
    }

    @Test("An effect starts for each element that is new, beside the others, and is cancelled when its element goes")
    func startsAndEnds() {
        let effects = Effects()
        let loop = loop(effects, State(jobs: [.init(id: 1)]))
        #expect(effects.take() == ["+1"])
        loop.send(.set([1, 3, 2]))
        #expect(effects.take() == ["+3", "+2"])
        loop.send(.nothing)
        loop.send(.set([2, 3, 1]))
        #expect(effects.take() == [])
        loop.send(.set([4, 2]))
        #expect(Set(effects.take().prefix(2)) == ["-1", "-3"])
        effects.send(2, "a")
        effects.send(4, "b")
        effects.send(3, "too late")
        #expect(loop.state.done == ["2 a", "4 b"])
        loop.send(.set([]))
        #expect(Set(effects.take()) == ["-2", "-4"])
    }

    @Test("Those that go are cancelled before new ones start, and equal elements have one effect")
    func order() {
        let effects = Effects()
        let loop = loop(effects)
        loop.send(.set([1, 1, 1]))
        #expect(effects.take() == ["+1"])
        loop.send(.set([1, 1]))
        #expect(effects.take() == [])
        loop.send(.set([2]))
        #expect(effects.take() == ["-1", "+2"])
    }

    @Test("An element that does not equal itself has no effect, which could never be cancelled")
    func nan() {
        let log = Log<Double>()
        let loop = FeedbackLoop<[Double], Double>(
            initial: [.nan], reduce: { $0.append($1) },
            feedbacks: [
                Feedback(eachNew: { $0 }) { number in
                    SignalProducer<Double, NoError>.never.on(starting: { log.add(number) })
                }
            ])
        loop.start()
        for number in [1, .nan, 2] as [Double] { loop.send(number) }
        #expect(log.entries == [1, 2])
    }

    @Test("An effect that has completed does not start again while its element stays, and does when it comes back")
    func comesBack() {
        let effects = Effects()
        let loop = loop(effects)
        loop.send(.set([1]))
        effects.complete(1)
        loop.send(.set([1, 2]))
        #expect(effects.take() == ["+1", "-1", "+2"])
        loop.send(.set([2]))
        loop.send(.set([2, 1]))
        #expect(effects.take() == ["+1"])
    }

    @Test("With an id, an element that changes in other ways keeps its effect")
    func identity() {
        let effects = Effects()
        let loop = FeedbackLoop<State, Event>(
            initial: State(), reduce: Self.reduce,
            feedbacks: [Feedback(eachNew: \.jobs, id: \.id) { effects.make($0.id + $0.progress * 100) }])
        loop.start()
        loop.send(.set([1, 2]))
        loop.send(.progress(1))
        #expect(effects.take() == ["+1", "+2"])
        loop.send(.set([2]))
        #expect(effects.take() == ["-1"])
    }

    @Test(
        "Law 3: after the event that removes an element, none of its events is reduced, also if its effect has completed"
    )
    func withdrawnBehind() {
        // The event that removes 1 is queued ahead of the events of 1 and 2.
        let loop = FeedbackLoop<State, Event>(
            initial: State(), reduce: Self.reduce,
            feedbacks: [
                Feedback(extracting: { $0 == .set([1, 2]) ? true : nil }) { _ in SignalProducer(value: Event.set([2]))
                },
                Feedback(eachNew: \.ids) { id in SignalProducer<Event, NoError>([.did(id, "a"), .did(id, "b")]) },
            ])
        loop.start()
        loop.send(.set([1, 2]))
        #expect(loop.state.done == ["2 a", "2 b"])
    }

    @Test("Law 6: letting go of a loop disposes the effects of all elements, and nothing fires later")
    func gone() {
        let effects = Effects()
        var loop: FeedbackLoop<State, Event>? = loop(effects, State(jobs: [.init(id: 1), .init(id: 2)]))
        weak let core = loop?.core
        loop?.send(.set([1, 2, 3]))
        #expect(effects.take() == ["+1", "+2", "+3"])
        loop = nil
        #expect(Set(effects.take()) == ["-1", "-2", "-3"])
        #expect(core == nil)
        effects.send(1, "too late")
    }

    @Test("Law 4: the state is not copied for its next change")
    func noCopy() {
        struct Big: Sendable { var ids: [Int] }
        let address = Locked<Set<UInt>>([])
        let loop = FeedbackLoop<Big, Int>(
            initial: Big(ids: Array(0..<1_000)),
            reduce: { state, index in
                state.ids[index] += 0
                state.ids.withUnsafeBufferPointer { buffer in
                    _ = address.withLock { $0.insert(UInt(bitPattern: buffer.baseAddress)) }
                }
            }, feedbacks: [Feedback(eachNew: \.ids) { _ in SignalProducer<Int, NoError>.never }])
        loop.start()
        for index in 0..<100 { loop.send(index) }
        #expect(address.withLock(\.count) <= 2)
    }

    @Test("An async effect of an element returns an event, and one that is cancelled returns none")
    func asynchronous() async {
        let loop = FeedbackLoop<State, Event>(
            initial: State(), reduce: Self.reduce,
            feedbacks: [
                Feedback(eachNew: \.ids) { id in
                    if id == 1 { try? await Task.sleep(for: .seconds(86_400)) }
                    return Event.did(id, Task.isCancelled ? "cancelled" : "whole")
                }
            ])
        loop.start()
        loop.send(.set([1, 2, 3]))
        for await state in loop.producer.values where state.done.count == 2 { break }
        loop.send(.set([4]))
        for await state in loop.producer.values where state.done.count == 3 { break }
        #expect(loop.state.done.sorted() == ["2 whole", "3 whole", "4 whole"])
    }

    @Test("The steps name the feedback, and tell that an effect was cancelled")
    func steps() {
        let effects = Effects()
        let loop = FeedbackLoop<State, Event>(
            initial: State(), reduce: Self.reduce,
            feedbacks: [Feedback(eachNew: \.ids, effects: { effects.make($0) }, name: "jobs")])
        loop.start()
        let lines = Locked<[String]>([])
        let listening = loop.steps.startWithValues { step in
            switch step {
            case let .started(effect): lines.withLock { $0.append("started \(effect.feedback.name) \(effect.number)") }
            case let .ended(effect, end): lines.withLock { $0.append("\(end) \(effect.number)") }
            default: break
            }
        }
        defer { listening.dispose() }
        loop.send(.set([1, 2]))
        loop.send(.set([2]))
        #expect(lines.withLock { $0 } == ["started jobs 1", "started jobs 2", "cancelled 1"])
    }

    @Test(
        "While events come from several threads, each element that is there has one effect, and the others none",
        .timeLimit(.minutes(10)))
    func threads() async {
        let running = Locked<[Int: Int]>([:])
        let loop = FeedbackLoop<State, Event>(
            initial: State(), reduce: Self.reduce,
            feedbacks: [
                Feedback(eachNew: \.ids) { id in
                    SignalProducer<Event, NoError>.never.on(
                        starting: { running.withLock { $0[id, default: 0] += 1 } },
                        disposed: { running.withLock { $0[id, default: 0] -= 1 } })
                }
            ])
        loop.start()
        await withTaskGroup(of: Void.self) { group in
            for seed in 0..<4 {
                group.addTask {
                    for step in 0..<500 { loop.send(.set((0..<8).filter { (step &* 7 &+ seed &* 13) >> $0 & 1 == 1 })) }
                }
            }
        }
        loop.send(.set([2, 5]))
        #expect(running.withLock { $0.filter { $0.value != 0 } } == [2: 1, 5: 1])
        loop.stop()
        #expect(running.withLock { $0.values.allSatisfy { $0 == 0 } })
    }
}
