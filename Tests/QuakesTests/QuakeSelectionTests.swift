import Fixtures
import Foundation
import Testing

@testable import Quakes

struct QuakeSelectionTests {
    private let catalog = QuakeCatalog(Quake.samples)

    @Test("The quakes of the day are shown, the newest first")
    func day() {
        let selection = selection()
        #expect(shown(selection) == Quake.samples.reversed())
        var next = selection
        next.day = selection.day.next
        #expect(shown(next).isEmpty)
    }

    @Test("A day is named by the Gregorian date, whatever calendar the person uses")
    func otherCalendar() {
        var calendar = Calendar(identifier: .buddhist)
        calendar.timeZone = .gmt
        let day = QuakeDay(of: Date(timeIntervalSince1970: 1_795_219_200), in: calendar)
        #expect(day.title == "2026-11-21")
        #expect(day.next.title == "2026-11-22")
    }

    @Test(
        "Neither case nor accents count in the search",
        arguments: ["san jose", "SAN JOSÉ", "san jose\u{301}", "José, c", "san josé"])
    func search(text: String) {
        var selection = selection()
        selection.searchText = text
        #expect(shown(selection) == [.xxsmall])
    }

    @Test("A text that no name contains finds nothing, and no text finds all", arguments: ["nowhere", "%", "."])
    func notFound(text: String) {
        var selection = selection()
        selection.searchText = text
        #expect(shown(selection).isEmpty)
        selection.searchText = ""
        #expect(shown(selection).count == Quake.samples.count)
    }

    @Test("Quakes are sorted by time or magnitude in either order")
    func sorts() {
        var selection = selection()
        for key in QuakeSelection.Key.allCases {
            selection.key = key
            selection.order = .ascending
            #expect(shown(selection) == Quake.samples)
            selection.order = .descending
            #expect(shown(selection) == Quake.samples.reversed())
        }
    }

    @Test("Quakes of the same magnitude stay in the order of their times")
    func stable() {
        let quakes = (0..<50).map { Quake.fixture(quakeId: "\($0)", time: .quakeFixture + Double($0)) }
        var selection = selection()
        selection.key = .magnitude
        #expect(selection.sorted(selection.unsorted(QuakeCatalog(quakes.shuffled()))) == quakes)
    }

    private func selection() -> QuakeSelection {
        QuakeSelection(day: QuakeDay(of: Quake.medium.time, in: QuakesExpectations.calendar()))
    }

    private func shown(_ selection: QuakeSelection) -> [Quake] { selection.sorted(selection.unsorted(catalog)) }
}

struct QuakeDayTests {
    @Test(
        "A day begins and ends at midnight of its time zone",
        arguments: [
            ("GMT", "2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z"),
            ("Asia/Tokyo", "2026-11-20T15:00:00Z", "2026-11-21T15:00:00Z"),
            ("America/Los_Angeles", "2026-11-21T08:00:00Z", "2026-11-22T08:00:00Z"),
            ("Asia/Kathmandu", "2026-11-20T18:15:00Z", "2026-11-21T18:15:00Z"),
            ("Pacific/Kiritimati", "2026-11-21T10:00:00Z", "2026-11-22T10:00:00Z"),
        ])
    func boundaries(zone: String, start: String, end: String) {
        let day = day(of: "2026-11-21T12:00:00Z", zone)
        #expect(day.span == QuakesExpectations.date(start)..<QuakesExpectations.date(end))
        #expect(day.clock(at: day.span.lowerBound) == "00:00")
        #expect(day.clock(at: day.span.upperBound - 1) == "23:59")
        #expect(day.next.previous == day)
        #expect(day.next.span.lowerBound == day.span.upperBound)
    }

    @Test("The day on which clocks go forward has 23 hours, the one on which they go back 25")
    func clockChange() {
        let spring = day(of: "2026-03-29T12:00:00Z", "Europe/Berlin")
        #expect(spring.hours == 23)
        #expect(spring.clock(at: QuakesExpectations.date("2026-03-29T00:59:00Z")) == "01:59")
        #expect(spring.clock(at: QuakesExpectations.date("2026-03-29T01:00:00Z")) == "03:00")
        let autumn = day(of: "2026-10-25T12:00:00Z", "Europe/Berlin")
        #expect(autumn.hours == 25)
        #expect(autumn.clock(at: QuakesExpectations.date("2026-10-25T00:30:00Z")) == "02:30")
        #expect(autumn.clock(at: QuakesExpectations.date("2026-10-25T01:30:00Z")) == "02:30")
        for day in [spring, autumn] {
            #expect(day.next.hours == 24)
            #expect(day.previous.hours == 24)
            #expect(day.next.previous == day)
            #expect(day.previous.next == day)
        }
    }

    @Test("A day without a midnight begins when its clocks begin")
    func withoutMidnight() {
        let day = day(of: "2018-11-04T12:00:00Z", "America/Sao_Paulo")
        #expect(day.title == "2018-11-04")
        #expect(day.hours == 23)
        #expect(day.clock(at: day.span.lowerBound) == "01:00")
        #expect(day.previous.title == "2018-11-03")
        #expect(day.next.title == "2018-11-05")
    }

    @Test("A day that a country left out is not there")
    func leftOut() {
        let day = day(of: "2011-12-30T00:00:00Z", "Pacific/Apia")
        #expect(day.title == "2011-12-29")
        #expect(day.next.title == "2011-12-31")
        #expect(day.next.previous.title == "2011-12-29")
    }

    @Test(
        "A quake at the last moment of a day belongs to it, one at midnight to the next",
        arguments: ["GMT", "Asia/Tokyo"])
    func midnight(zone: String) {
        let day = day(of: "2026-11-21T12:00:00Z", zone)
        let last = Quake.fixture(quakeId: "last", time: day.span.upperBound - 0.001)
        let first = Quake.fixture(quakeId: "first", time: day.span.upperBound)
        let catalog = QuakeCatalog([first, last])
        #expect(QuakeSelection(day: day).unsorted(catalog) == [last])
        #expect(QuakeSelection(day: day.next).unsorted(catalog) == [first])
    }

    private func day(of moment: String, _ zone: String) -> QuakeDay {
        QuakeDay(of: QuakesExpectations.date(moment), in: QuakesExpectations.calendar(zone))
    }
}

extension QuakeDay {
    fileprivate var hours: Double { span.upperBound.timeIntervalSince(span.lowerBound) / 3_600 }
}
