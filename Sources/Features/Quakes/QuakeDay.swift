import Foundation

/// A calendar day in a time zone. It has 23 or 25 hours if the clocks change.
public struct QuakeDay: Hashable, Sendable {
    /// The time from the first moment of the day up to the first moment of the next day.
    public let span: Range<Date>
    /// The date as text: `2026-11-21`.
    public let title: String
    private let calendar: Calendar
    /// The offset of the time zone from UTC at the beginning of the day, in seconds.
    private let offset: Int
    /// The moment at which the clocks change during the day, and the offset from then on.
    private let change: Change?

    private struct Change: Hashable, Sendable {
        var date: Date
        var offset: Int
    }

    /// Makes the day that contains a moment.
    public init(of moment: Date, in calendar: Calendar) {
        self.calendar = calendar
        let zone = calendar.timeZone
        let interval = calendar.dateInterval(of: .day, for: moment) ?? DateInterval(start: moment, duration: 86_400)
        span = interval.start..<interval.end
        offset = zone.secondsFromGMT(for: interval.start)
        change = zone.nextDaylightSavingTimeTransition(after: interval.start).flatMap { date in
            date < interval.end ? Change(date: date, offset: zone.secondsFromGMT(for: date)) : nil
        }
        var gregorian = Calendar(identifier: .gregorian)
        gregorian.timeZone = zone
        let parts = gregorian.dateComponents([.year, .month, .day], from: interval.start)
        title = [(parts.year, 4), (parts.month, 2), (parts.day, 2)].map { ($0.0 ?? 0).digits($0.1) }
            .joined(separator: "-")
    }

    public var next: QuakeDay { QuakeDay(of: span.upperBound, in: calendar) }
    public var previous: QuakeDay { QuakeDay(of: span.lowerBound - 1, in: calendar) }

    /// The local time at a moment of the day: `07:45`.
    public func clock(at moment: Date) -> String {
        var offset = offset
        if let change, moment >= change.date { offset = change.offset }
        let seconds = Int(moment.timeIntervalSince1970.rounded(.down)) + offset
        let minutes = ((seconds % 86_400) + 86_400) % 86_400 / 60
        return (minutes / 60).digits(2) + ":" + (minutes % 60).digits(2)
    }
}

extension Int {
    /// The number, padded with zeros to at least `count` digits.
    fileprivate func digits(_ count: Int) -> String {
        let text = String(self)
        return String(repeating: "0", count: Swift.max(0, count - text.count)) + text
    }
}
