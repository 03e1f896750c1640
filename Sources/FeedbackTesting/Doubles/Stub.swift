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
        var waiting: [Int: Signal<Output, Failure>.Observer] = [:]
    }

    private let state = Locked(State())

    /// Makes a function that has not been called yet.
    public init() {}

    /// Returns a producer that calls the function each time it is started.
    public func callAsFunction(_ input: Input) -> SignalProducer<Output, Failure> {
        SignalProducer { [self] observer, lifetime in
            let number = state.withLock { state in
                state.inputs.append(input)
                state.waiting[state.inputs.count] = observer
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

    /// Answers all calls that wait with a value, and completes them. Fails the test if no call waits.
    public func answer(
        _ output: Output, fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line,
        column: Int = #column
    ) {
        for observer in takeWaiting(TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)) {
            observer.send(value: output)
            observer.sendCompleted()
        }
    }

    /// Answers all calls that wait with an error. Fails the test if no call waits.
    public func fail(
        _ error: Failure, fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line,
        column: Int = #column
    ) {
        for observer in takeWaiting(TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)) {
            observer.send(error: error)
        }
    }

    /// Completes all calls that wait, without a value. Fails the test if no call waits.
    public func complete(
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) {
        for observer in takeWaiting(TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)) {
            observer.sendCompleted()
        }
    }

    /// Sends a value to all calls that wait, which go on waiting. Fails the test if no call waits.
    public func send(
        _ output: Output, fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line,
        column: Int = #column
    ) {
        let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        let waiting = state.withLock { $0.waiting.sorted { $0.key < $1.key }.map(\.value) }
        if waiting.isEmpty { failWithoutCall(location) }
        for observer in waiting { observer.send(value: output) }
    }

    private func takeWaiting(_ location: TestLocation) -> [Signal<Output, Failure>.Observer] {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting.sorted { $0.key < $1.key }.map(\.value)
        }
        if waiting.isEmpty { failWithoutCall(location) }
        return waiting
    }

    private func failWithoutCall(_ location: TestLocation) {
        let count = callCount
        location.fail(
            count == 0
                ? "There is no call to answer: the function was not called."
                : "There is no call to answer: the function was called \(count.counting("time", "times")), and each call was answered or "
                    + "cancelled.")
    }
}

extension Stub where Input == Void {
    /// Returns a producer that calls the function each time it is started.
    public func callAsFunction() -> SignalProducer<Output, Failure> { self(()) }
}
