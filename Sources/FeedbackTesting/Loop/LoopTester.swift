import Feedback
import Foundation

/// Runs a loop step by step and asserts all that happens in it, in order: each event sent, each event that effects feed
/// back, and each change of the state.
///
/// ```swift
/// let scheduler = TestScheduler()
/// let tester = LoopTester(
///     initial: State(), reduce: CitiesViewModel.reduce,
///     feedbacks: [CitiesViewModel.whenLoading(controller: stub, scheduler: scheduler)])
///
/// tester.send(.refresh) { $0.isLoading = true }
/// scheduler.advance(by: .seconds(1))
/// tester.receive(.didLoad([.fixture()])) {
///     $0.isLoading = false
///     $0.cities = [.fixture()]
/// }
/// tester.finish()
/// ```
///
/// It is exhaustive. An event that nobody asserted, a change of the state that was not described, and an effect that
/// still runs at the end fail the test, with the difference between what was expected and what happened. The end is
/// `finish()`, or when the tester is let go of. It works in Swift Testing and in XCTest.
public final class LoopTester<State: Equatable & Sendable, Event: Sendable>: Sendable {
    private let loop: FeedbackLoop<State, Origin<Event>>
    private let journal: Journal<State, Event>
    private let census = EffectCensus()
    private let location: TestLocation

    /// Starts a loop.
    public init(
        initial: State,
        reduce: @escaping @Sendable (inout State, Event) -> Void,
        feedbacks: [Feedback<State, Event>] = [],
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) {
        let journal = Journal<State, Event>(initial)
        self.journal = journal
        location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        loop = FeedbackLoop(
            initial: initial,
            reduce: { state, origin in
                reduce(&state, origin.event)
                journal.write(Step(origin: origin, state: state))
            },
            feedbacks: feedbacks.map { feedback in
                .pullback(feedback, value: { $0 }, event: Origin.fedBack, extract: \.event)
            },
            census: census)
        loop.start()
    }

    /// Starts a loop whose reducer returns the new state.
    public convenience init(
        initial: State,
        reduce: @escaping @Sendable (State, Event) -> State,
        feedbacks: [Feedback<State, Event>] = [],
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) {
        self.init(
            initial: initial, reduce: { $0 = reduce($0, $1) }, feedbacks: feedbacks,
            fileID: fileID, filePath: filePath, line: line, column: column)
    }

    deinit { end(location) }

    /// The state after all that has happened, asserted or not.
    public var state: State { loop.state }

    // MARK: - Asserting

    /// Sends an event, and asserts what it changes in the state.
    ///
    /// - Parameter change: Makes the state that is expected of the state before; without it no change is expected.
    public func send(
        _ event: Event, _ change: (inout State) -> Void = { _ in },
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) {
        let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        failOnPending("before sending \(describe(event))", location)
        guard loop.send(.sent(event)) else {
            return location.fail("The loop has ended, and refused the event \(describe(event)).")
        }
        guard let step = journal.next(within: .now() + 10) else {
            return location.fail("The event \(describe(event)) was not reduced within 10 seconds.")
        }
        guard case .sent = step.origin else {
            return location.fail(
                "An effect fed back \(describe(step.origin.event)) before \(describe(event)) was reduced.")
        }
        assertState(after: event, is: step.state, change, location)
    }

    /// Asserts the next event that an effect has fed back, and what it changed in the state.
    ///
    /// - Parameter change: Makes the state that is expected of the state before; without it no change is expected.
    public func receive(
        _ event: Event, _ change: (inout State) -> Void = { _ in },
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) where Event: Equatable {
        let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        receive(event, journal.next(), change, location)
    }

    /// Asserts the next event that an effect has fed back by a question to it, and what it changed in the state.
    public func receive(
        where matches: (Event) -> Bool, _ change: (inout State) -> Void = { _ in },
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) {
        let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        receive(where: matches, journal.next(), change, location)
    }

    /// Waits for the next event that an effect feeds back, for effects that are async, and asserts it.
    ///
    /// - Parameter limit: How long to wait before the test fails.
    public func receive(
        _ event: Event, within limit: Duration, _ change: (inout State) -> Void = { _ in },
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) async where Event: Equatable {
        let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        receive(event, await journal.next(within: limit), change, location)
    }

    /// Waits for the next event that an effect feeds back, for effects that are async, and asserts it by a question.
    ///
    /// - Parameter limit: How long to wait before the test fails.
    public func receive(
        where matches: (Event) -> Bool, within limit: Duration, _ change: (inout State) -> Void = { _ in },
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) async {
        let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        receive(where: matches, await journal.next(within: limit), change, location)
    }

    /// Asserts that nothing is left: no event, and no effect that still runs. Stops the loop.
    public func finish(
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) {
        end(TestLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    /// Stops the loop, with all effects that still run, and lets go of all events that were not asserted.
    ///
    /// For a test whose subject is what came before.
    public func skipTheRest() {
        loop.stop()
        journal.end()
    }

    // MARK: - Machinery

    private func receive(
        _ event: Event, _ step: Step<State, Event>?, _ change: (inout State) -> Void, _ location: TestLocation
    ) where Event: Equatable {
        guard let step else {
            return location.fail("Expected \(describe(event)) from an effect, but no effect has fed back an event.")
        }
        if step.origin.event != event {
            let difference = Difference(expected: event, actual: step.origin.event)
            location.fail("An effect fed back another event than expected (- expected, + actual):\n\n\(difference)")
        }
        assertState(after: step.origin.event, is: step.state, change, location)
    }

    private func receive(
        where matches: (Event) -> Bool, _ step: Step<State, Event>?, _ change: (inout State) -> Void,
        _ location: TestLocation
    ) {
        guard let step else {
            return location.fail("Expected an event from an effect, but no effect has fed one back.")
        }
        if !matches(step.origin.event) {
            location.fail("An effect fed back \(describe(step.origin.event)), which does not match.")
        }
        assertState(after: step.origin.event, is: step.state, change, location)
    }

    private func assertState(
        after event: Event, is actual: State, _ change: (inout State) -> Void, _ location: TestLocation
    ) {
        var expected = journal.asserted(actual)
        let before = expected
        change(&expected)
        guard expected != actual else { return }
        let reason =
            expected == before
            ? "changed the state, and no change was described" : "did not change the state as described"
        let difference = Difference(expected: expected, actual: actual)
        location.fail("\(describe(event)) \(reason) (- expected, + actual):\n\n\(difference)")
    }

    private func failOnPending(_ moment: String, _ location: TestLocation) {
        let pending = journal.takeAll()
        guard !pending.isEmpty else { return }
        let events = pending.map { "  " + describe($0.origin.event) }.joined(separator: "\n")
        location.fail("Effects fed back events that were not asserted \(moment):\n\n\(events)")
    }

    private func end(_ location: TestLocation) {
        guard journal.end() else { return }
        failOnPending("at the end", location)
        let feedbacks = census.feedbacksWithEffects
        if !feedbacks.isEmpty {
            let places = feedbacks.map { "\($0 + 1)" }.joined(separator: ", ")
            location.fail(
                "Effects still run at the end: of feedback \(places) in the list. Let them complete, or cancel them.")
        }
        loop.stop()
    }

    private func describe(_ event: Event) -> String {
        Difference.lines(of: event).map { $0.drop { $0 == " " } }.joined(separator: " ")
    }
}
