import Foundation

/// A point in time that JSON has as ISO 8601 text, with or without a fraction of a second: `2026-11-21T19:30:00Z`,
/// `2026-11-21T20:30:00.123+01:00`.
///
///     struct Status: Decodable {
///         var createdAt: DateTime
///     }
///
/// It decodes from such a text with any decoder, whatever the decoder's strategy for `Date`. It encodes in UTC, rounded
/// to milliseconds. Dates before the year 0 and after the year 9999 have no such text; encoding them throws.
///
/// It is for the bodies of web services. Objects with a `Schema` have properties of type `Date`; each store reads and
/// writes those as its database does, with full precision.
public struct DateTime: Hashable, Comparable, Sendable {
    /// The moment.
    public var date: Date

    /// Makes a value from a date.
    public init(_ date: Date) { self.date = date }

    /// Reads a text; returns `nil` if it is not a time in this form.
    public init?(_ text: String) {
        var text = text
        guard let date = text.withUTF8({ Self.date(from: $0) }) else { return nil }
        self.date = date
    }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.date < rhs.date }
}

extension DateTime: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let dateTime = DateTime(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text)\" is not a time like 2026-11-21T19:30:00Z.")
        }
        self = dateTime
    }

    public func encode(to encoder: any Encoder) throws {
        guard isWritable else {
            // The error does not hold the date itself: Foundation traps when it describes a date that is not finite.
            throw EncodingError.invalidValue(
                description, .init(codingPath: encoder.codingPath, debugDescription: "The date is \(self)."))
        }
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension DateTime: CustomStringConvertible {
    public var description: String {
        guard isWritable else { return "outside the years 0 to 9999" }
        let milliseconds = min(Int64((date.timeIntervalSince1970 * 1000).rounded()), Self.end * 1000 - 1)
        let (days, rest) = milliseconds.flooredQuotientAndRemainder(dividingBy: 86_400_000)
        let (year, month, day) = civil(fromDays: days)
        let second = rest / 1000
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(padded(second / 3600, 2)):"
            + "\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2)).\(padded(rest % 1000, 3))Z"
    }
}

extension DateTime {
    /// The seconds since 1970 at the end of the year 9999.
    private static let end: Int64 = 253_402_300_800

    /// True if the date is in the years 0 to 9999.
    private var isWritable: Bool { -62_167_219_200..<Double(Self.end) ~= date.timeIntervalSince1970 }
}

// MARK: - Reading

extension DateTime {
    private static func date(from text: UnsafeBufferPointer<UInt8>) -> Date? {
        var reader = DigitReader(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2), reader.skip(":"),
            let second = reader.number(2), 1...12 ~= month, 1...daysIn(month, of: year) ~= day, hour < 24, minute < 60,
            second <= 60
        else { return nil }
        var fraction = 0.0
        if reader.skip(".") || reader.skip(",") {
            guard let value = reader.fraction() else { return nil }
            fraction = value
        }
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        let seconds = days(year, month, day) * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset)
        let moment = Double(seconds) + fraction
        // The last microseconds of the year 9999 are not rounded up to a year that has no text.
        return Date(timeIntervalSince1970: seconds < end ? min(moment, Double(end).nextDown) : moment)
    }

    private static func daysIn(_ month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

private struct DigitReader {
    private let text: UnsafeBufferPointer<UInt8>
    private var index = 0

    init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

    var isAtEnd: Bool { index == text.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard index < text.count, text[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    mutating func number(_ count: Int) -> Int? {
        guard index + count <= text.count else { return nil }
        var value = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    mutating func fraction() -> Double? {
        guard var value = digit().map({ Double($0) / 10 }) else { return nil }
        var place = 0.01
        while let digit = digit() {
            value += Double(digit) * place
            place /= 10
        }
        return value
    }

    /// Seconds east of UTC.
    mutating func offset() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let isWest = skip("-")
        guard isWest || skip("+"), let hours = number(2) else { return nil }
        _ = skip(":")
        guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }

    private mutating func digit() -> Int? {
        guard index < text.count, 0x30...0x39 ~= text[index] else { return nil }
        defer { index += 1 }
        return Int(text[index] - 0x30)
    }
}

// MARK: - Calendar

/// The days from 1970-01-01 to a date of the Gregorian calendar.
private func days(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
    // Years begin in March here, so that the leap day is the last day of a year.
    let year = Int64(month <= 2 ? year - 1 : year)
    let month = Int64(month <= 2 ? month + 9 : month - 3)
    let (era, yearOfEra) = year.flooredQuotientAndRemainder(dividingBy: 400)
    let dayOfYear = (153 * month + 2) / 5 + Int64(day) - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}

private func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (days + 719_468).flooredQuotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
    return (year, month >= 10 ? month - 9 : month + 3, day)
}

private func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

extension Int64 {
    fileprivate func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
