import Foundation
import Testing

@testable import Sync

struct TimestampTests {
    @Test(
        "A date is written as PostgreSQL writes it, and read back",
        arguments: [
            (0, "2001-01-01T00:00:00+00:00"), (0.5, "2001-01-01T00:00:00.5+00:00"),
            (-0.000_001, "2000-12-31T23:59:59.999999+00:00"), (814_474_800.25, "2026-10-23T19:00:00.25+00:00"),
            (-31_622_400, "2000-01-01T00:00:00+00:00"), (99_705_599, "2004-02-28T23:59:59+00:00"),
            (99_705_600, "2004-02-29T00:00:00+00:00"), (-63_113_904_000, "0001-01-01T00:00:00+00:00"),
            (252_423_993_599, "9999-12-31T23:59:59+00:00"), (.infinity, "infinity"), (-.infinity, "-infinity"),
        ] as [(TimeInterval, String)])
    func writing(seconds: TimeInterval, text: String) throws {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        let timestamp = try #require(Timestamp(date))
        #expect(timestamp.description == text)
        #expect(Timestamp(text)?.date == date)
    }

    @Test("The calendar is Foundation's", arguments: [0, 1, 2])
    func calendar(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let style = Date.ISO8601FormatStyle(timeZone: .gmt)
        for _ in 0..<2_000 {
            let seconds = Int.random(in: -50_000_000_000..<250_000_000_000, using: &random)
            let date = Date(timeIntervalSinceReferenceDate: Double(seconds))
            let text = try #require(Timestamp(date)).description
            // Foundation changes to the Julian calendar in 1582.
            if seconds > -13_200_000_000 { #expect(text.hasPrefix(style.format(date).dropLast()), "\(text)") }
            #expect(Timestamp(text)?.date == date)
        }
    }

    @Test(
        "The last microsecond of the year 9999, with which tables mark what has no end, can be written back",
        arguments: ["", ".999984", ".999999", ".9999999"])
    func lastMoment(fraction: String) throws {
        let read = try #require(Timestamp("9999-12-31T23:59:59\(fraction)+00:00"))
        let written = try #require(Timestamp(read.date))
        #expect(written.description.hasPrefix("9999-12-31T23:59:59"))
        #expect(written.date == read.date)
        #expect(Timestamp("9999-12-31T23:59:59-01:00") == nil)
    }

    @Test("Every date between 1930 and 2070 is exact if it is a whole number of microseconds")
    func exact() {
        var random = SeededNumbers(seed: 1)
        for _ in 0..<5_000 {
            let microseconds = Int64.random(in: -2_200_000_000_000_000..<2_200_000_000_000_000, using: &random)
            let date = Date(timeIntervalSinceReferenceDate: Double(microseconds) / 1e6)
            let timestamp = Timestamp(date)
            #expect(timestamp?.isExact == true)
            #expect(timestamp?.date == date)
        }
        #expect(Timestamp(Date(timeIntervalSinceReferenceDate: 0.000_000_1))?.isExact == false)
    }

    @Test(
        "Other forms of a timestamp are read",
        arguments: [
            "2026-10-23T19:00:00.25Z", "2026-10-23 19:00:00.250000+00", "2026-10-23T21:30:00.25+02:30",
            "2026-10-23T18:00:00.2500004-01", "2026-10-23T19:00:00.2499996", "2026-10-23T19:00:00.2499995",
            "2026-10-23T19:00:00,25000049", "2026-10-23T21:30:15.25+02:30:15", "2026-10-23T16:29:45.25-023015",
        ])
    func otherForms(text: String) {
        #expect(Timestamp(text)?.date == Date(timeIntervalSinceReferenceDate: 814_474_800.25))
    }

    @Test(
        "A text that is not a moment is refused",
        arguments: [
            "", "now", "2026-13-01", "2026-02-29", "2026-01-01T25:00:00", "2026-01-01T00:00:00+99", "2026-1-1", "NaN",
            "0000-01-01", "2026-00-10", "2026-04-31", "2026-04-00", "2026-10-23T24:00:00", "2026-10-23T23:60:00",
            "2026-10-23T23:59:60", "2026-10-23T19", "2026-10-23T19:00:00.Z", "2026-10-23T19:00:00ZZ",
            "2026-10-23T19:00:00 ", "2026-10-23T19:00:00+16", "2026-10-23T19:00:00+15:60", "2026-10-23T19:00:00+1",
            "2026-10-23T19:00:00+02:3",
        ])
    func refused(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test("A date that PostgreSQL cannot keep has no timestamp", arguments: [.nan, 1e15, -1e12] as [Double])
    func impossible(seconds: Double) {
        #expect(Timestamp(Date(timeIntervalSinceReferenceDate: seconds)) == nil)
    }
}
