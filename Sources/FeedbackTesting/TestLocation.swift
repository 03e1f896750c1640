import Testing

#if canImport(XCTest)
import XCTest
#endif

/// The place of an assertion in a test's source.
public struct TestLocation: Sendable {
    let fileID: String
    let filePath: StaticString
    let line: Int
    let column: Int

    /// Fails the running test here, whether Swift Testing runs it or XCTest.
    ///
    /// On a thread of its own and in a detached task, neither says whether it runs a test. Both are told then, because
    /// each loses a failure while the other one runs the tests.
    func fail(_ message: String) {
        #if canImport(XCTest)
        if Test.current == nil { XCTFail(message, file: filePath, line: UInt(line)) }
        #endif
        Issue.record(
            Comment(rawValue: message),
            sourceLocation: SourceLocation(fileID: fileID, filePath: "\(filePath)", line: line, column: column))
    }
}
