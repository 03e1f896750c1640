import Foundation

/// A day of a calendar, in its time zone. Where clocks change it has 23 or 25 hours.
public struct QuakeDay: Hashable, Sendable {
    /// From the day's first moment up to the first one of the next day.
    public let span: Range<Date>
    /// The year, month and day: `2026-11-21`.
    public let title: String
    private let calendar: Calendar
    /// The time zone's distance from Greenwich at the beginning of the day, in seconds.
    private let offset: Int
    /// Where the clocks change during the day, and the distance from then on.
    private let change: Change?

    private struct Change: Hashable, Sendable {
        var date: Date
        var offset: Int
    }

    /// The day that a moment belongs to.
    public init(of moment: Date, in calendar: Calendar) {
        self.calendar = calendar
        let zone = calendar.timeZone
        let interval = calendar.dateInterval(of: .day, for: moment) ?? DateInterval(start: moment, duration: 86_400)
        span = interval.start..<interval.end
        offset = zone.secondsFromGMT(for: interval.start)
        change = zone.nextDaylightSavingTimeTransition(after: interval.start).flatMap { date in
            date < interval.end ? Change(date: date, offset: zone.secondsFromGMT(for: date)) : nil
        }
        let parts = calendar.dateComponents([.year, .month, .day], from: interval.start)
        title = [(parts.year, 4), (parts.month, 2), (parts.day, 2)].map { ($0.0 ?? 0).digits($0.1) }
            .joined(separator: "-")
    }

    public var next: QuakeDay { QuakeDay(of: span.upperBound, in: calendar) }
    public var previous: QuakeDay { QuakeDay(of: span.lowerBound - 1, in: calendar) }

    /// What the clocks show at a moment of the day: `07:45`.
    public func clock(at moment: Date) -> String {
        var offset = offset
        if let change, moment >= change.date { offset = change.offset }
        let seconds = Int(moment.timeIntervalSince1970.rounded(.down)) + offset
        let minutes = ((seconds % 86_400) + 86_400) % 86_400 / 60
        return (minutes / 60).digits(2) + ":" + (minutes % 60).digits(2)
    }
}

extension Int {
    /// The number with zeros in front of it.
    fileprivate func digits(_ count: Int) -> String {
        let text = String(self)
        return String(repeating: "0", count: Swift.max(0, count - text.count)) + text
    }
}
