import Feedback
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

    @Test("A popped screen ends, with what it had under way, though somebody keeps its picture")
    func ending() {
        let ended = MutableProperty(0)
        let working = Feedback<CounterViewModel.State, CounterViewModel.Action>(whenBecomesTrue: \.isBusy) { _ in
            SignalProducer<CounterViewModel.Action, NoError> { observer, lifetime in
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

    @Test("A screen that pops itself comes to its end in peace")
    func poppingItself() {
        let stack = ScreenStack()
        stack.push(.counter { [weak stack] _ in stack?.pop() })
        stack.top?.use("Leave")
        #expect(stack.screens.isEmpty)
    }

    @Test("A stack tells of each change of its top, and of the state there")
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

    @Test("An event log hears each event, with the state before and after, which the screen can show again")
    func log() throws {
        let entries = MutableProperty<[EventLog.Entry]>([])
        let log = EventLog { [entries] entry in entries.modify { $0.append(entry) } }
        let screen = LiveScreen.counter(CounterViewModel(log: log))
        screen.use("Increment")
        screen.use("Increment")
        #expect(entries.value.map { ($0.before as? CounterViewModel.State)?.count } == [0, 1])
        #expect(entries.value.map { ($0.after as? CounterViewModel.State)?.count } == [1, 2])
        #expect(entries.value.first?.event as? CounterViewModel.Action == .increment)
        let first = try #require(entries.value.first)
        #expect(screen.look(first.after)?.text().contains("Count  1") == true)
        #expect(screen.look("another state") == nil)
    }
}
