import Feedback
import FeedbackTesting
import Presentation
import Testing

struct FlowTests {
    @Test("A live screen shows its view model's state, and its controls act on it")
    func living() {
        let screen = LiveScreen.counter()
        #expect(screen.screen.text().contains("Count  0"))
        screen.use("Increment")
        #expect(screen.screen.text().contains("Count  1"))
    }

    @Test("A part of a view model's state follows each event, or those that are said to concern it")
    func selecting() {
        let model = LiveViewModel(CounterViewModel())
        let count = model.select { $0.count }
        let lazyCount = model.select(where: { _, event in event == .ui(.work) }) { $0.count }
        let counts = Locked<[Int]>([])
        let watching = model.producer(selecting: { $0.count }).startWithValues { _, count in
            counts.withLock { $0.append(count) }
        }
        defer { watching.dispose() }
        model.send(.increment)
        #expect(counts.withLock { $0 } == [0, 1])
        #expect(count.value == 1 && lazyCount.value == 0)
        model.send(.work)
        #expect(count.value == 1 && lazyCount.value == 1)
    }

    @Test("A popped screen ends and cancels its effects, although somebody keeps its picture")
    func ending() {
        let ended = MutableProperty(0)
        let working = Feedback<CounterViewModel.State, CounterViewModel.Event>(whenBecomesTrue: \.isBusy) { _ in
            SignalProducer<CounterViewModel.Event, NoError> { observer, lifetime in
                lifetime.observeEnded { [ended] in
                    ended.modify { $0 += 1 }
                    withExtendedLifetime(observer) {}
                }
            }
        }
        let stack = ScreenStack()
        stack.push(.counter(CounterViewModel(feedbacks: [working])))
        stack.top?.use("Work")
        #expect(ended.value == 0)
        let picture = stack.top?.screen
        stack.pop()
        #expect(ended.value == 1)
        picture?.actions.first?.action()
    }

    @Test("Only the screen on top has its routes followed")
    func routes() {
        let stack = ScreenStack()
        let below = LiveScreen.counter { [weak stack] _ in stack?.push(.counter()) }
        stack.push(below)
        below.use("Leave")
        below.use("Leave")
        #expect(stack.screens.count == 2)
        stack.pop()
        below.use("Leave")
        #expect(stack.screens.count == 2)
    }

    @Test("Screens that are pushed and popped on two threads end outside of the stack's lock")
    func twoThreads() {
        let stack = ScreenStack()
        let ended = MutableProperty(0)
        let working = Feedback<CounterViewModel.State, CounterViewModel.Event>(whenBecomesTrue: \.isBusy) { _ in
            SignalProducer<CounterViewModel.Event, NoError>.never.on(disposed: { [weak stack] in
                // Locks the stack, as the teardown of a controller may.
                if stack?.screens != nil { ended.modify { $0 += 1 } }
            })
        }
        let isPushed = MutableProperty(false)
        onThreadsBlocking(2) { thread in
            if thread == 0 {
                for _ in 0..<10_000 {
                    stack.push(.counter(CounterViewModel(initial: .init(isBusy: true), feedbacks: [working])))
                }
                isPushed.value = true
            } else {
                while !isPushed.value { stack.pop() }
            }
        }
        stack.pop(to: 0)
        #expect(ended.value == 10_000)
    }

    @Test("Routes that come before the screen is on its stack are followed then, as long as it stays on top")
    func earlyRoutes() {
        let launching = Feedback<CounterViewModel.State, CounterViewModel.Event>(whenBecomesTrue: \.isBusy) { _ in
            SignalProducer([.ui(.leave), .ui(.leave)])
        }
        let stack = ScreenStack()
        let screen = LiveScreen.counter(CounterViewModel(initial: .init(isBusy: true), feedbacks: [launching])) {
            [weak stack] _ in stack?.push(.counter())
        }
        #expect(stack.screens.isEmpty)
        stack.push(screen)
        #expect(stack.screens.count == 2)
        stack.pop()
        #expect(stack.screens.count == 1)
    }

    @Test("A route that comes while the earlier ones are followed comes after them, and none is lost or followed twice")
    func orderOfRoutes() async {
        for _ in 0..<200 {
            let stack = ScreenStack()
            let routes = Locked(0)
            let screen = LiveScreen.counter { _ in routes.withLock { $0 += 1 } }
            onThreadsBlocking(2) { thread in
                if thread == 0 { stack.push(screen) } else { for _ in 0..<10 { screen.use("Leave") } }
            }
            await screen.settled()
            #expect(routes.withLock { $0 } == 10)
        }
    }

    @Test("A screen that pops itself ends cleanly")
    func poppingItself() {
        let stack = ScreenStack()
        stack.push(.counter { [weak stack] _ in stack?.pop() })
        stack.top?.use("Leave")
        #expect(stack.screens.isEmpty)
    }

    @Test("A stack reports each change of its top, and of the state there")
    func changes() {
        let count = MutableProperty(0)
        let stack = ScreenStack()
        let watching = stack.changes.startWithValues { [count] _ in count.modify { $0 += 1 } }
        #expect(count.value == 1)
        stack.push(.counter())
        #expect(count.value == 2)
        stack.top?.use("Increment")
        #expect(count.value == 3)
        let below = stack.top
        stack.push(.counter())
        #expect(count.value == 4)
        below?.use("Increment")
        #expect(count.value == 4)
        stack.pop(to: 0)
        #expect(count.value == 5)
        watching.dispose()
    }

    @Test("Popping to a count leaves so many screens", arguments: [(-1, 0), (0, 0), (2, 2), (9, 3)])
    func poppingTo(count: Int, left: Int) {
        let stack = ScreenStack()
        for _ in 0..<3 { stack.push(.counter()) }
        stack.pop(to: count)
        #expect(stack.screens.count == left)
    }

    @Test("A stack reports the steps of its screens, each from its state when it is pushed")
    func steps() throws {
        let stack = ScreenStack()
        let steps = Locked<[ScreenStack.Step]>([])
        let listening = stack.steps.startWithValues { step in steps.withLock { $0.append(step) } }
        defer { listening.dispose() }

        stack.push(.counter { [weak stack] _ in stack?.pop() })
        stack.top?.use("Increment")
        let below = stack.top
        stack.push(.counter(CounterViewModel(initial: .init(count: 7))))
        below?.use("Increment")
        stack.pop()
        below?.use("Leave")

        let all = steps.withLock { $0 }
        #expect(all.allSatisfy { $0.name == "CounterViewModel" })
        let ids = Array(Set(all.map(\.id))).sorted()
        #expect(ids.count == 2)
        #expect(all.filter { $0.id == ids[0] }.compactMap(count) == [0, 1, 2, 2])
        #expect(all.filter { $0.id == ids[1] }.compactMap(count) == [7])
        let increment = try #require(all.dropFirst().first)
        guard case let .reduced(event, source, state) = increment.step else {
            Issue.record("\(increment.step)")
            return
        }
        #expect(event as? CounterViewModel.Event == .ui(.increment))
        #expect(source == .sent)
        #expect(increment.look?(state)?.text().contains("Count  1") == true)
        #expect(increment.look?("another state") == nil)
        // A step can be made again, and nothing else can.
        var again: any Sendable = state
        increment.reduce(&again, event)
        #expect((again as? CounterViewModel.State)?.count == 2)
        increment.reduce(&again, "another event")
        #expect((again as? CounterViewModel.State)?.count == 2)
    }

    @Test("A stack also reports the steps of a model that is not a screen, until it ends")
    func reporting() {
        let stack = ScreenStack()
        var model: LiveViewModel? = LiveViewModel(CounterViewModel())
        if let model { stack.report(model) }
        let steps = Locked<[ScreenStack.Step]>([])
        let listening = stack.steps.startWithValues { step in steps.withLock { $0.append(step) } }
        defer { listening.dispose() }

        model?.send(.increment)
        let other = LiveViewModel(CounterViewModel(initial: .init(count: 7)))
        stack.report(other)
        #expect(stack.reportedIDs.count == 2)
        model = nil
        #expect(stack.reportedIDs.count == 1)
        #expect(steps.withLock { $0.compactMap(count) } == [0, 1, 7])
        // A new listener hears of the one that still runs.
        let later = Locked<[ScreenStack.Step]>([])
        let listeningLater = stack.steps.startWithValues { step in later.withLock { $0.append(step) } }
        defer { listeningLater.dispose() }
        other.send(.increment)
        #expect(later.withLock { $0.compactMap(count) } == [7, 8])
        #expect(steps.withLock { $0.allSatisfy { $0.look == nil } })
    }

    @Test("A model that is reported again, as when its flow starts once more, is still reported once")
    func reportingAgain() {
        let stack = ScreenStack()
        let model = LiveViewModel(CounterViewModel())
        stack.report(model)
        let steps = Locked<[ScreenStack.Step]>([])
        let listening = stack.steps.startWithValues { step in steps.withLock { $0.append(step) } }
        defer { listening.dispose() }
        stack.report(model)
        stack.report(model)

        model.send(.increment)
        #expect(steps.withLock { $0.compactMap(count) } == [0, 1])
        #expect(stack.reportedIDs.count == 1)
    }

    private func count(_ step: ScreenStack.Step) -> Int? {
        switch step.step {
        case let .initial(state, _), let .reduced(_, _, state): (state as? CounterViewModel.State)?.count
        default: nil
        }
    }
}
