import Foundation
import Presentation
import Testing

@testable import FeedbackTesting

struct SnapshotTests {
    private static let environment = ProcessInfo.processInfo.environment
    private let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID())/screen.txt")

    @Test("A snapshot that was never recorded fails, and says how to record it")
    func missing() throws {
        let message = try #require(compare("Cities\n", with: file, record: false))
        let suite = file.deletingLastPathComponent().lastPathComponent
        #expect(message.contains("RECORD_SNAPSHOTS=1 swift test --filter \(suite)\n"))
        #expect(!FileManager.default.fileExists(atPath: file.path()))
    }

    @Test("A recorded snapshot is met by the same text")
    func same() {
        #expect(compare("Cities\n", with: file, record: true) == nil)
        #expect(compare("Cities\n", with: file, record: false) == nil)
    }

    @Test("A recorded snapshot is not met by another text, and shows what has changed")
    func different() throws {
        #expect(compare("Cities\nLondon\n", with: file, record: true) == nil)
        let message = try #require(compare("Cities\nParis\n", with: file, record: false))
        #expect(message.contains("-   London") && message.contains("+   Paris"))
    }

    @Test("A blank line is a difference, too")
    func blankLines() throws {
        #expect(compare("Cities\n\nLondon\n", with: file, record: true) == nil)
        let more = try #require(compare("Cities\n\n\nLondon\n", with: file, record: false))
        #expect(more.contains("\n+   \n"))
        let less = try #require(compare("Cities\nLondon\n", with: file, record: false))
        #expect(less.contains("\n-   \n"))
    }

    @Test("A snapshot that is not met fails the test", .enabled(if: Self.environment["RECORD_SNAPSHOTS"] == nil))
    func failing() {
        withKnownIssue {
            expectSnapshot(of: Screen<String>(title: "Cities"), named: "never recorded")
        } matching: { issue in
            issue.comments.first?.rawValue.contains("There is no snapshot never recorded.txt yet.") == true
        }
    }

    @Test("Recording anew replaces the snapshot")
    func recording() {
        #expect(compare("Cities\n", with: file, record: true) == nil)
        #expect(compare("Towns\n", with: file, record: true) == nil)
        #expect(compare("Towns\n", with: file, record: false) == nil)
    }
}
