import Foundation

/// Dates as in `2024-03-09T17:30:00Z`.
enum ISO8601 {
    /// The date that `Date.ISO8601FormatStyle` reads from a text.
    ///
    /// The common form is read here; anything else is left to Foundation.
    static func date(_ text: String) -> Date? {
        var text = text
        if let seconds = text.withUTF8(common) { return Date(timeIntervalSince1970: TimeInterval(seconds)) }
        return try? Date.ISO8601FormatStyle().parse(text)
    }

    /// The seconds since 1970 of `yyyy-MM-ddThh:mm:ssZ`, if the text is exactly that, from 1970 to 2999.
    private static func common(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard text.count == 20, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] == UInt8(ascii: "T"),
            text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"), text[19] == UInt8(ascii: "Z"),
            let century = twoDigits(text, 0), let rest = twoDigits(text, 2), let month = twoDigits(text, 5),
            let day = twoDigits(text, 8), let hour = twoDigits(text, 11), let minute = twoDigits(text, 14),
            let second = twoDigits(text, 17)
        else { return nil }
        let year = century * 100 + rest
        guard (1970...2999).contains(year), (1...12).contains(month), (1...days(of: month, in: year)).contains(day),
            hour < 24, minute < 60, second < 60
        else { return nil }
        // Days since 1970, counted in years that begin in March, so that the leap day is the last day of a year.
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
        return ((days * 24 + hour) * 60 + minute) * 60 + second
    }

    private static func twoDigits(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int? {
        let (tens, ones) = (text[place] &- UInt8(ascii: "0"), text[place + 1] &- UInt8(ascii: "0"))
        return tens < 10 && ones < 10 ? Int(tens) * 10 + Int(ones) : nil
    }

    private static func days(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
