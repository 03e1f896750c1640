import Feedback
import FeedbackTesting
import XCTest

/// The same tester in the other framework.
final class LoopTesterXCTests: XCTestCase {
    func testPasses() {
        let tester = LoopTester<Int, Int>(initial: 0, reduce: { $0 += $1 })
        tester.send(2) { $0 = 2 }
        tester.finish()
    }

    func testFailsWithTheDifferenceAndThePlace() {
        #if canImport(Darwin)
        XCTExpectFailure("The change is not described.")
        #else
        expectsFailure = true
        #endif
        let tester = LoopTester<Int, Int>(initial: 0, reduce: { $0 += $1 })
        tester.send(2)
        tester.finish()
        #if !canImport(Darwin)
        XCTAssertEqual(failures.count, 1)
        XCTAssertTrue(failures.first?.contains("- 0\n+ 2") == true, "\(failures)")
        #endif
    }

    #if !canImport(Darwin)
    private var expectsFailure = false
    private var failures: [String] = []

    override func recordFailure(
        withDescription description: String, inFile filePath: String, atLine lineNumber: Int, expected: Bool
    ) {
        if expectsFailure, filePath == "\(#filePath)" {
            failures.append(description)
        } else {
            super.recordFailure(
                withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
        }
    }
    #endif
}
