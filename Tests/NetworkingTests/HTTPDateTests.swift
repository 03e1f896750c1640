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
        "A text that is not a date is read as none",
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

    @Test("Days, hours, minutes and seconds are read to their limits, and each month has its place")
    func limits() {
        for (number, month) in "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(separator: " ").enumerated() {
            let date = HTTPDate.date(from: "Sun, 01 \(month.uppercased()) 2023 00:00:00 GMT")
            let parts = DateComponents(year: 2023, month: number + 1, day: 1)
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            #expect(date != nil && date == calendar.date(from: parts))
        }
        for day in [0, 1, 31, 32] {
            #expect((HTTPDate.date(from: "Sun, \(day) Dec 2023 00:00:00 GMT") != nil) == (1...31 ~= day))
        }
        for (time, isRead) in [
            ("00:00:00", true), ("23:59:60", true), ("24:00:00", false), ("00:60:00", false), ("00:00:61", false),
            ("00:00:00:00", false), ("00::00", false), ("00:00:", false),
        ] {
            #expect((HTTPDate.date(from: "Sun, 01 Dec 2023 \(time) GMT") != nil) == isRead, "\(time)")
        }
        #expect(HTTPDate.date(from: "Sun, 01 Dec 2023") == nil)
        #expect(HTTPDate.date(from: "Sun, 01 Dec 9999 00:00:00") != nil)
    }
}
