import Foundation
import Networking
import Testing

@Suite("Dates with times")
struct DateTimeTests {
    @Test(
        "Times are read with and without fractions, in any zone",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-11-21T19:30:00Z", 1_795_289_400),
            ("2026-11-21T20:30:00.5+01:00", 1_795_289_400.5), ("2026-11-21T14:00:00.25-0530", 1_795_289_400.25),
            ("2000-02-29T12:00:00.000Z", 951_825_600), ("1969-12-31T23:59:59.75Z", -0.25),
            ("2016-12-31T23:59:60Z", 1_483_228_800),
        ])
    func reading(text: String, seconds: Double) {
        #expect(DateTime(text)?.date.timeIntervalSince1970 == seconds)
    }

    @Test(
        "A text that is not a time is not read",
        arguments: [
            "", "yesterday", "2026-11-21", "2026-11-21T19:30:00", "2026-13-01T00:00:00Z", "2025-02-29T00:00:00Z",
            "2026-11-21T24:00:00Z", "2026-11-21T19:30:00.Z", "2026-11-21T19:30:00Zx", "2026-11-21T19:30:00+24:00",
            "2026-11-21T19:30:00+01:60", "2026-11-21T19:60:00Z", "2026-11-21T19:30:61Z", "2026-11-21T19:30:00.25",
            "2026-11-00T19:30:00Z", "2026-00-21T19:30:00Z", "2026-11-21T19:30:00+01", "2026-11-21T19:30:00+",
        ])
    func refusing(text: String) { #expect(DateTime(text) == nil) }

    @Test(
        "Each day of a year is that of the calendar, and a day that the month does not have is none",
        arguments: [1583, 1600, 1700, 1900, 1969, 1970, 1972, 2000, 2024, 2100, 2400, 9999])
    func calendar(year: Int) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        for month in 1...12 {
            for day in [1, 2, 28, 29, 30, 31] {
                let components = DateComponents(
                    calendar: calendar, year: year, month: month, day: day, hour: day % 24, minute: 59, second: 7)
                let text = String(format: "%04d-%02d-%02dT%02d:59:07.000Z", year, month, day, day % 24)
                let read = DateTime(text)
                #expect(read?.date == (components.isValidDate ? components.date : nil), "\(text)")
                if let read { #expect(read.description == text) }
            }
        }
    }

    @Test("Dates are in the order of time")
    func order() throws {
        let early = try #require(DateTime("2026-11-21T20:30:00+01:00"))
        let late = try #require(DateTime("2026-11-21T19:30:00.001Z"))
        #expect(early < late && !(late < early) && !(early < early))
        #expect(early == DateTime("2026-11-21t19:30:00z") && early == DateTime("2026-11-21 19:30:00,0-00:00"))
    }

    @Test("A written date is read unchanged")
    func roundTrip() throws {
        for seconds in [0, -1.5, 951_825_600, 1_795_289_400.125, 253_402_300_799, -62_135_596_800] {
            let dateTime = DateTime(Date(timeIntervalSince1970: seconds))
            let data = try JSONEncoder().encode([dateTime])
            #expect(try JSONDecoder().decode([DateTime].self, from: data) == [dateTime])
        }
        #expect("\(DateTime(Date(timeIntervalSince1970: 1_795_289_400.125)))" == "2026-11-21T19:30:00.125Z")
    }

    @Test(
        "The last moment of the year 9999, with which services mark what has no end, can be written back",
        arguments: ["", ".999", ".9995", ".999999", ".999999999"])
    func lastMoment(fraction: String) throws {
        let dateTime = try #require(DateTime("9999-12-31T23:59:59\(fraction)Z"))
        #expect("\(dateTime)".hasPrefix("9999-12-31T23:59:59."))
        #expect(try !JSONEncoder().encode([dateTime]).isEmpty)
    }

    @Test(
        "The first years have four digits, and the year 0 has a leap day",
        arguments: [
            "0000-01-01T00:00:00.000Z", "0000-02-29T23:59:59.999Z", "0000-03-01T00:00:00.000Z",
            "0000-12-31T12:00:00.000Z",
            "0001-01-01T00:00:00.000Z", "0004-02-29T00:00:00.000Z", "0099-12-31T00:00:00.000Z",
            "0400-02-29T01:02:03.045Z",
        ])
    func firstYears(text: String) throws {
        #expect(try #require(DateTime(text)).description == text)
    }

    @Test(
        "A moment is written to the nearest millisecond",
        arguments: [
            (0.0004, "00.000"), (0.0006, "00.001"), (0.0994, "00.099"), (0.0096, "00.010"), (0.9996, "01.000"),
            (59.9994, "59.999"), (-0.0004, "00.000"),
        ])
    func milliseconds(seconds: Double, text: String) {
        #expect("\(DateTime(Date(timeIntervalSince1970: seconds)))" == "1970-01-01T00:00:\(text)Z")
    }

    @Test(
        "A date that has no such text is refused, not written wrongly",
        arguments: [.infinity, -.infinity, .nan, 1e300, 253_402_300_800, -62_167_219_201] as [Double])
    func unwritable(seconds: Double) {
        let dateTime = DateTime(Date(timeIntervalSince1970: seconds))
        #expect("\(dateTime)" == "outside the years 0 to 9999")
        #expect(throws: EncodingError.self) { try JSONEncoder().encode([dateTime]) }
    }
}

@Suite("The Link header")
struct LinkHeaderTests {
    @Test("Links are found by their relation, and parameters by their name")
    func links() {
        let links = LinkHeader(
            "<https://m.example/list?limit=2&max_id=a%20b>; rel=\"next\", <https://m.example/list?min_id=9>; rel=prev")
        #expect(links["next"]?.parameter("max_id") == "a b")
        #expect(links["prev"]?.url == "https://m.example/list?min_id=9")
        #expect(links["last"] == nil)
    }

    @Test("Order, quotes, commas and several relations do not matter")
    func details() {
        let links = LinkHeader(" <a,b>;title=\"x, <y>; rel=no\" ; REL=\"Next last\",<c> ; rel=next, nonsense, <d")
        #expect(links["next"]?.url == "a,b")
        #expect(links["last"]?.url == "a,b")
        #expect(links["NEXT"] == links["next"])
        #expect(LinkHeader("").self == LinkHeader("nothing"))
    }

    @Test("A quoted parameter may hold escaped quotes, and one without a value is passed over")
    func quotes() {
        let links = LinkHeader(#"<a>; title="say \"; rel=\"x"; crossorigin; rel="next" ; rel=last; =; x==, <b>; rel"#)
        #expect(links["next"]?.url == "a")
        #expect(links["last"] == nil && links["x"] == nil)
        #expect(LinkHeader(#"<a>; "x\", <b>; "; rel=next"#)["next"]?.url == "a")
    }

    @Test("The header of an answer is read, and a parameter that the query does not have is nil")
    func answer() throws {
        let url = try #require(URL(string: "https://m.example"))
        let fields = ["Link": "</list?a=1&b>; rel=next"]
        let answer = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fields))
        let next = try #require(LinkHeader(answer)["next"])
        #expect(next.parameter("a") == "1")
        #expect(next.parameter("b") == nil && next.parameter("c") == nil)
    }
}
