import Foundation

/// Dates of HTTP headers, in today's form and in the two old ones that a recipient must still read (RFC 9110, 5.6.7).
enum HTTPDate {
    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov 6 08:49:37 1994`.
    static func date(from text: String, now: Date = Date()) -> Date? {
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        guard words.count >= 5, let isAsctime = words[1].first?.isLetter else { return nil }
        let (day, month, year, time) =
            isAsctime ? (words[2], words[1], words[4], words[3]) : (words[1], words[2], words[3], words[4])
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard let day = Int(day), 1...31 ~= day, let month = months.firstIndex(of: month.lowercased()),
            var year = Int(year), 0...9_999 ~= year, clock.count == 3,
            let hour = clock[0], 0...23 ~= hour, let minute = clock[1], 0...59 ~= minute, let second = clock[2],
            0...60 ~= second
        else { return nil }
        if year < 100 {
            // A year of two digits that would be more than 50 years ahead is of the last century.
            let thisYear = calendar.component(.year, from: now)
            year += thisYear / 100 * 100
            if year > thisYear + 50 { year -= 100 }
        }
        let parts = DateComponents(year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
        return calendar.date(from: parts)
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()
}
