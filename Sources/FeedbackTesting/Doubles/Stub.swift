import Feedback
import Presentation

/// A function that returns producers, whose calls a test answers by hand.
///
/// ```swift
/// struct CitiesControllerStub: CitiesBusinessControllerProtocol {
///     let cities = Stub<Void, CitiesResponse, CoreError>()
///     let deliveries = Stub<Address, Never, CoreError>()
///
///     func fetchCities() -> SignalProducer<CitiesResponse, CoreError> { cities() }
///     func requestDelivery(to address: Address) -> SignalProducer<Never, CoreError> { deliveries(address) }
/// }
///
/// let stub = CitiesControllerStub()
/// let tester = LoopTester(CitiesViewModel(businessController: stub))
/// stub.cities.answer(.fixture())
/// ```
///
/// A call begins when its producer is started, and waits until the test answers it or its effect is cancelled. An async
/// function is stubbed by `try await stub(input).value()`.
public final class Stub<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
    private struct State {
        var inputs: [Input] = []
        /// The calls that wait, by their numbers.
        var waiting: [Int: Call] = [:]
    }

    private struct Call {
        let input: Input
        let observer: Signal<Output, Failure>.Observer
    }

    private let state = Locked(State())

    /// Makes a function that has not been called yet.
    public init() {}

    /// Returns a producer that calls the function each time it is started.
    public func callAsFunction(_ input: Input) -> SignalProducer<Output, Failure> {
        SignalProducer { [self] observer, lifetime in
            let number = state.withLock { state in
                state.inputs.append(input)
                state.waiting[state.inputs.count] = Call(input: input, observer: observer)
                return state.inputs.count
            }
            lifetime.observeEnded { [self] in
                // Released outside the lock.
                _ = state.withLock { $0.waiting.removeValue(forKey: number) }
            }
        }
    }

    // MARK: - Looking

    /// The inputs of all calls so far, in order.
    public var inputs: [Input] { state.withLock { $0.inputs } }

    /// The number of all calls so far.
    public var callCount: Int { state.withLock { $0.inputs.count } }

    /// The number of calls that wait for an answer.
    public var waitingCount: Int { state.withLock { $0.waiting.count } }

    // MARK: - Answering

    /// Answers the calls that wait with a value, and completes them. Fails the test if there is no such call.
    ///
    /// - Parameter matches: Returns true for the inputs of the calls to answer; by default these are all:
    ///   `stub.renewals.answer(renewed, where: { $0 == renewed.id })`.
    public func answer(
        _ output: Output, where matches: (Input) -> Bool = { _ in true }, fileID: String = #fileID,
        filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) {
        let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        for observer in takeWaiting(matches, location) {
            observer.send(value: output)
            observer.sendCompleted()
        }
    }

    /// Answers the calls that wait with an error. Fails the test if there is no such call.
    ///
    /// - Parameter matches: Returns true for the inputs of the calls to answer; by default these are all.
    public func fail(
        _ error: Failure, where matches: (Input) -> Bool = { _ in true }, fileID: String = #fileID,
        filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) {
        let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        for observer in takeWaiting(matches, location) { observer.send(error: error) }
    }

    /// Completes the calls that wait, without a value. Fails the test if there is no such call.
    ///
    /// - Parameter matches: Returns true for the inputs of the calls to complete; by default these are all.
    public func complete(
        where matches: (Input) -> Bool = { _ in true }, fileID: String = #fileID, filePath: StaticString = #filePath,
        line: Int = #line, column: Int = #column
    ) {
        let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        for observer in takeWaiting(matches, location) { observer.sendCompleted() }
    }

    /// Sends a value to the calls that wait, which go on waiting. Fails the test if there is no such call.
    ///
    /// - Parameter matches: Returns true for the inputs of the calls that get the value; by default these are all.
    public func send(
        _ output: Output, where matches: (Input) -> Bool = { _ in true }, fileID: String = #fileID,
        filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) {
        let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        for (_, call) in waiting(matches, location) { call.observer.send(value: output) }
    }

    /// Returns the calls that wait and match, in order. Fails the test if there is none.
    private func waiting(_ matches: (Input) -> Bool, _ location: TestLocation) -> [(key: Int, value: Call)] {
        let waiting = state.withLock(\.waiting)
        // Outside the lock, as it calls the test's function.
        let found = waiting.filter { matches($0.value.input) }.sorted { $0.key < $1.key }
        if found.isEmpty { failWithoutCall(waiting.count, location) }
        return found
    }

    private func takeWaiting(
        _ matches: (Input) -> Bool, _ location: TestLocation
    ) -> [Signal<Output, Failure>.Observer] {
        let taken = waiting(matches, location)
        // Released outside the lock.
        _ = state.withLock { state in taken.map { state.waiting.removeValue(forKey: $0.key) } }
        return taken.map(\.value.observer)
    }

    private func failWithoutCall(_ waitingCount: Int, _ location: TestLocation) {
        let count = callCount
        let reason =
            if count == 0 {
                "the function was not called."
            } else if waitingCount > 0 {
                "the input of no waiting call matches. The inputs of all calls so far: \(inputs)"
            } else {
                "the function was called \(count.counting("time", "times")), and each call was answered or cancelled."
            }
        location.fail("There is no call to answer: \(reason)")
    }
}

extension Stub where Input == Void {
    /// Returns a producer that calls the function each time it is started.
    public func callAsFunction() -> SignalProducer<Output, Failure> { self(()) }
}
