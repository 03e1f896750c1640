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
    func fail(_ message: String) {
        #if canImport(XCTest)
        if Test.current == nil {
            XCTFail(message, file: filePath, line: UInt(line))
            return
        }
        #endif
        Issue.record(
            Comment(rawValue: message),
            sourceLocation: SourceLocation(fileID: fileID, filePath: "\(filePath)", line: line, column: column))
    }
}
