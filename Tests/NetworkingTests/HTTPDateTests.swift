import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Testing

@testable import Networking

@Suite("HTTP dates")
struct HTTPDateTests {
    @Test(
        "All three forms are read",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ])
    func forms(_ text: String) {
        #expect(HTTPDate.date(from: text) == Date(timeIntervalSince1970: 784_111_777))
    }

    @Test("A year before 1000 is not taken for one of this century")
    func longAgo() {
        #expect(HTTPDate.date(from: "Mon, 01 Jan 0100 00:00:00 GMT")?.timeIntervalSince1970 ?? 0 < -59_000_000_000)
    }

    @Test(
        "What is no date is none",
        arguments: [
            "", "0", "soon", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 25:00:00 GMT", "Sun, 06 Nov 1994 08:49 GMT", ", , , , ,",
            "Sun, 06 Nov 10000 08:49:37 GMT", "Sun, 06 Nov 9223372036854775807 08:49:37 GMT",
        ])
    func noDates(_ text: String) { #expect(HTTPDate.date(from: text) == nil) }

    @Test(
        "A year of two digits is at most fifty years ahead",
        arguments: [("76", "2076"), ("77", "1977"), ("00", "2000"), ("26", "2026"), ("99", "1999")])
    func shortYear(_ short: String, _ whole: String) throws {
        let now = try #require(HTTPDate.date(from: "Sun, 22 Nov 2026 12:00:00 GMT"))
        let date = try #require(HTTPDate.date(from: "Sunday, 06-Nov-\(short) 08:49:37 GMT", now: now))
        #expect(date == HTTPDate.date(from: "Sun, 06 Nov \(whole) 08:49:37 GMT"))
    }
}
