import Testing

/// Waits until a condition holds, and fails the test if it does not within a generous limit.
///
/// ```swift
/// await eventually("the request is cancelled") { stub.waitingCount == 0 }
/// ```
///
/// - Parameters:
///   - condition: The condition in words, for the message of the failure.
///   - limit: The time to wait before the test fails. It is generous, because the machine may be busy. The condition is
///     tested at least 200 times before that. A task that is cancelled does not wait.
/// - Returns: True if the condition held.
@discardableResult
public func eventually(
    _ condition: String = "the condition holds", within limit: Duration = .seconds(60),
    isolation: isolated (any Actor)? = #isolation, fileID: String = #fileID, filePath: StaticString = #filePath,
    line: Int = #line, column: Int = #column, _ holds: () async throws -> Bool
) async rethrows -> Bool {
    let end = ContinuousClock.now + limit
    // Counted because on a very busy machine the limit may pass while the code that is waited for has hardly run.
    var looks = 0
    while try await !holds() {
        looks += 1
        guard ContinuousClock.now < end || looks < 200, !Task.isCancelled else {
            let wait = Task.isCancelled ? "The test was cancelled, and until then" : "Waited \(limit), but"
            TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
                .fail("\(wait) it was never true that \(condition).")
            return false
        }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return true
}
