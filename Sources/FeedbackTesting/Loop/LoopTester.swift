import Dispatch
import Feedback
import Foundation

/// Runs a loop step by step and asserts all that happens in it, in order: each event sent, each event that effects feed
/// back, and each change of the state.
///
/// ```swift
/// let scheduler = TestScheduler()
/// let tester = LoopTester(SearchViewModel(search: stub, scheduler: scheduler))
///
/// tester.send(.ui(.type("Lon"))) { $0.query = "Lon" }
/// scheduler.advance(by: .milliseconds(300))
/// stub.answer(["London"])
/// tester.receive(.didFind(["London"])) { $0.results = ["London"] }
/// tester.finish()
/// ```
///
/// Unless it is made with `exhaustivity: .partial`, a tester is exhaustive. An event that was not asserted, a change of
/// the state that was not described, and an effect that still runs at the end fail the test, with the difference
/// between the expected and the actual value. The end is `finish()`, or the release of the tester. It works in Swift
/// Testing and in XCTest.
public final class LoopTester<State: Equatable & Sendable, Event: Sendable>: Sendable {
    let loop: FeedbackLoop<State, Event>
    let journal: Journal<State, Event>
    let exhaustivity: Exhaustivity
    private let location: TestLocation

    /// Starts a loop.
    public init(
        initial: State,
        reduce: @escaping @Sendable (inout State, Event) -> Void,
        feedbacks: [Feedback<State, Event>] = [], exhaustivity: Exhaustivity = .full,
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) {
        location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        self.exhaustivity = exhaustivity
        journal = Journal(initial)
        loop = FeedbackLoop(initial: initial, reduce: reduce, feedbacks: feedbacks)
        loop.steps.startWithValues { [journal] in journal.write($0) }
        loop.start()
    }

    /// Starts a loop whose reducer returns the new state.
    public convenience init(
        initial: State,
        reduce: @escaping @Sendable (State, Event) -> State,
        feedbacks: [Feedback<State, Event>] = [], exhaustivity: Exhaustivity = .full,
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) {
        self.init(
            initial: initial, reduce: { $0 = reduce($0, $1) }, feedbacks: feedbacks, exhaustivity: exhaustivity,
            fileID: fileID, filePath: filePath, line: line, column: column)
    }

    deinit { end(location) }

    /// The state after all that has happened, asserted or not.
    public var state: State { loop.state }

    // MARK: - Asserting

    /// Sends an event, and asserts what it changes in the state.
    ///
    /// - Parameter change: Changes the previous state into the expected one; without it no change is expected.
    public func send(
        _ event: Event, _ change: (inout State) -> Void = { _ in },
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) {
        let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        failOnPending("before sending \(describe(event))", location)
        guard loop.send(event) else {
            return location.fail("The loop has stopped, and refused the event \(describe(event)).")
        }
        var next = journal.next(within: .now() + 10)
        while exhaustivity == .partial, let other = next, other.source != .sent {
            next = journal.next(within: .now() + 10)
        }
        guard let reduced = next else {
            return location.fail("The event \(describe(event)) was not reduced within 10 seconds.")
        }
        guard reduced.source == .sent else {
            return location.fail(
                "\(describe(reduced.event)) from \(reduced.source) was reduced before \(describe(event)).")
        }
        settle()
        assertState(after: event, is: reduced.state, change, location)
    }

    /// Asserts that nothing is left: no event, and no effect that still runs. Stops the loop.
    ///
    /// Effects that are about to end on other threads get ten seconds to do so. Meanwhile this blocks its thread. Async
    /// effects may need that thread: await ``finish(within:fileID:filePath:line:column:)`` instead.
    public func finish(
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) {
        end(TestLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    /// Waits for the end of the effects that are async, and asserts that nothing is left: no event, and no effect that
    /// still runs. Stops the loop.
    ///
    /// - Parameter limit: The time to wait before the test fails.
    public func finish(
        within limit: Duration, fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line,
        column: Int = #column
    ) async {
        let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        if exhaustivity == .full { await journal.waitForEffects(within: limit) }
        end(location, isWaiting: false)
    }

    /// Stops the loop and all effects that still run, and drops all events that were not asserted.
    ///
    /// Use it in a test that is about the steps before.
    public func skipTheRest() {
        loop.stop()
        journal.end()
    }

    // MARK: - Machinery

    /// Waits until the loop has reduced all events that it has accepted, and has started their effects: another thread may be in the
    /// middle of that.
    func settle() {
        let isSettled = DispatchSemaphore(value: 0)
        whenSettled { isSettled.signal() }
        _ = isSettled.wait(timeout: .now() + 10)
    }

    /// A listener gets its first step in the loop's turn, after all that was accepted before.
    func whenSettled(_ action: @escaping @Sendable () -> Void) {
        loop.steps.take(first: 1).startWithCompleted(action)
    }

    func assertState(
        after event: Event, is actual: State, _ change: (inout State) -> Void, _ location: TestLocation
    ) {
        let asserted = journal.asserted(actual)
        let before = exhaustivity == .full ? asserted : actual
        var expected = before
        change(&expected)
        guard expected != actual else { return }
        let reason =
            expected == before
            ? "changed the state, and no change was described" : "did not change the state as described"
        let difference = Difference(expected: expected, actual: actual)
        location.fail("\(describe(event)) \(reason) (- expected, + actual):\n\n\(difference)")
    }

    private func failOnPending(_ moment: @autoclosure () -> String, _ location: TestLocation) {
        let pending = journal.takeAll()
        guard !pending.isEmpty, exhaustivity == .full else { return }
        let events = pending.map { "  \(describe($0.event)), from \($0.source)" }.joined(separator: "\n")
        location.fail("These events were not asserted \(moment()):\n\n\(events)")
    }

    private func end(_ location: TestLocation, isWaiting: Bool = true) {
        guard journal.end() else { return }
        let running = exhaustivity == .full ? journal.running(after: .now() + (isWaiting ? 10 : 0)) : []
        failOnPending("at the end", location)
        if !running.isEmpty {
            location.fail("These effects still run at the end: \(list(running)). Let them complete, or cancel them.")
        }
        loop.stop()
    }

    func list(_ effects: [LoopEffect]) -> String {
        effects.map { "\($0)" }.joined(separator: ", ")
    }

    func describe(_ event: Event) -> String {
        Difference.lines(of: event).map { $0.drop { $0 == " " } }.joined(separator: " ")
    }
}
