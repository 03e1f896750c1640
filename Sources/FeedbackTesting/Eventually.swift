import Testing

/// Waits until a condition holds, and fails the test if it does not within a generous limit.
///
/// ```swift
/// await eventually("the request is cancelled") { stub.waitingCount == 0 }
/// ```
///
/// - Parameters:
///   - condition: The condition in words, for the message of the failure.
///   - limit: The time to wait before the test fails. Generous, as the machine may be busy. It ends after 200 looks at
///     the condition at the earliest.
/// - Returns: True if the condition held.
@discardableResult
public func eventually(
    _ condition: String = "the condition holds", within limit: Duration = .seconds(60),
    isolation: isolated (any Actor)? = #isolation, fileID: String = #fileID, filePath: StaticString = #filePath,
    line: Int = #line, column: Int = #column, _ holds: () async throws -> Bool
) async rethrows -> Bool {
    let end = ContinuousClock.now + limit
    // On a machine too busy to run the tests that wait, time passes in which nothing could happen.
    var looks = 0
    while try await !holds() {
        looks += 1
        guard ContinuousClock.now < end || looks < 200, !Task.isCancelled else {
            TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
                .fail("Waited \(limit), but it was never true that \(condition).")
            return false
        }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return true
}
