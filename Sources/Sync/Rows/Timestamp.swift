import Foundation

/// A point in time in PostgreSQL's form: `2026-11-21T19:00:00.25+00:00`, with at most six digits after the point.
///
/// Foundation's formatters only keep milliseconds, and so does ``Networking/DateTime``, the type of a property in the
/// bodies of web services. This type is for the column of a `Date`, which PostgreSQL must return as it was sent: it has
/// microseconds and infinities, and shows if the server compares the date exactly.
struct Timestamp: Equatable, Sendable {
    /// The microseconds since 2001-01-01 00:00:00 UTC; `.max` and `.min` are PostgreSQL's infinities.
    private let microseconds: Int64

    /// True if no other timestamp has the same ``date``, so that either can be compared in place of the other.
    let isExact: Bool

    private init(microseconds: Int64, isExact: Bool) {
        self.microseconds = microseconds
        self.isExact = isExact
    }

    /// Rounds a date to microseconds; nil if it is not a number, or not between the years 1 and 9999.
    init?(_ date: Date) {
        let seconds = date.timeIntervalSinceReferenceDate
        if seconds.isInfinite {
            (microseconds, isExact) = (seconds < 0 ? .min : .max, true)
            return
        }
        // The dates of the last microseconds are rounded up to the end of the year 9999.
        guard Self.years ~= seconds || seconds == Self.years.upperBound else { return nil }
        let rounded = min(Int64((seconds * 1e6).rounded()), Self.last)
        // The product has a rounding error, so the neighbours are tried, too.
        let exact = [rounded, rounded - 1, rounded + 1].first { Double($0) / 1e6 == seconds }
        microseconds = exact ?? rounded
        isExact = exact != nil && abs(rounded) < 1 << 52
    }

    var date: Date {
        switch microseconds {
        case .max: Date(timeIntervalSinceReferenceDate: .infinity)
        case .min: Date(timeIntervalSinceReferenceDate: -.infinity)
        default: Date(timeIntervalSinceReferenceDate: Double(microseconds) / 1e6)
        }
    }

    /// The seconds since 2001 of the years 1 to 9999.
    private static let years = -63_113_904_000.0..<252_423_993_600.0
    /// The last microsecond of the year 9999.
    private static let last: Int64 = 252_423_993_599_999_999
}

// MARK: - Writing

extension Timestamp: CustomStringConvertible {
    var description: String {
        if microseconds == .max { return "infinity" }
        if microseconds == .min { return "-infinity" }
        let (seconds, fraction) = microseconds.flooredDivision(by: 1_000_000)
        let (days, time) = seconds.flooredDivision(by: 86_400)
        let (year, month, day) = Self.civil(days + Self.referenceDay)
        return String(unsafeUninitializedCapacity: 32) { bytes in
            var text = Text(bytes: bytes)
            text.append(year, digits: 4, then: "-")
            text.append(month, digits: 2, then: "-")
            text.append(day, digits: 2, then: "T")
            text.append(time / 3_600, digits: 2, then: ":")
            text.append(time / 60 % 60, digits: 2, then: ":")
            text.append(time % 60, digits: 2, then: fraction > 0 ? "." : "+")
            if fraction > 0 {
                var (digits, count) = (fraction, 6)
                while digits % 10 == 0 { (digits, count) = (digits / 10, count - 1) }
                text.append(digits, digits: count, then: "+")
            }
            text.append(0, digits: 2, then: ":")
            text.append(0, digits: 2, then: nil)
            return text.count
        }
    }

    private struct Text {
        let bytes: UnsafeMutableBufferPointer<UInt8>
        private(set) var count = 0

        init(bytes: UnsafeMutableBufferPointer<UInt8>) { self.bytes = bytes }

        mutating func append(_ number: Int64, digits: Int, then separator: Unicode.Scalar?) {
            var rest = number
            for place in (count..<count + digits).reversed() {
                bytes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            count += digits
            guard let separator else { return }
            bytes[count] = UInt8(ascii: separator)
            count += 1
        }
    }
}

// MARK: - Reading

extension Timestamp {
    /// Reads `2026-11-21T19:00:00.123456+01:00` and its shorter forms: with a blank for the `T`, without seconds,
    /// without a time, and without an offset, which means UTC.
    init?(_ text: String) {
        var text = text
        guard let timestamp = text.withUTF8({ Timestamp($0) }) else { return nil }
        self = timestamp
    }

    /// Reads the same from bytes.
    init?(_ text: UnsafeBufferPointer<UInt8>) {
        if text.elementsEqual("infinity".utf8) || text.elementsEqual("-infinity".utf8) {
            self.init(microseconds: text[0] == UInt8(ascii: "-") ? .min : .max, isExact: true)
            return
        }
        var reader = Reader(bytes: text)
        guard let days = reader.day(), let time = reader.time(), let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        let seconds = (days - Self.referenceDay) * 86_400 + time.seconds - offset
        guard Self.years ~= Double(seconds) else { return nil }
        self.init(microseconds: min(seconds * 1_000_000 + time.microseconds, Self.last), isExact: true)
    }

    private struct Reader {
        let bytes: UnsafeBufferPointer<UInt8>
        private var place = 0

        init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

        var isAtEnd: Bool { place == bytes.count }

        mutating func day() -> Int64? {
            guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2), year >= 1,
                1...12 ~= month, day >= 1
            else { return nil }
            let days = Timestamp.days(year, month, day)
            // A day that the month does not have would become one of the next month.
            return Timestamp.civil(days) == (year, month, day) ? days : nil
        }

        mutating func time() -> (seconds: Int64, microseconds: Int64)? {
            guard skip("T") || skip(" ") else { return (0, 0) }
            guard let hour = number(2), skip(":"), let minute = number(2), hour < 24, minute < 60 else { return nil }
            var second: Int64 = 0
            var fraction: Int64 = 0
            if skip(":") {
                guard let number = number(2), number < 60 else { return nil }
                second = number
                if skip(".") || skip(",") {
                    guard let microseconds = microseconds() else { return nil }
                    fraction = microseconds
                }
            }
            return (hour * 3_600 + minute * 60 + second, fraction)
        }

        /// Reads a fraction, rounded to six digits.
        private mutating func microseconds() -> Int64? {
            guard var value = digit() else { return nil }
            var count = 1
            while count < 6, let digit = digit() { (value, count) = (value * 10 + digit, count + 1) }
            for _ in count..<6 { value *= 10 }
            if let next = digit() {
                if next >= 5 { value += 1 }
                while digit() != nil {}
            }
            return value
        }

        mutating func offset() -> Int64? {
            if isAtEnd || skip("Z") { return 0 }
            let isNegative = skip("-")
            guard isNegative || skip("+"), let hours = number(2), hours < 16 else { return nil }
            var seconds = hours * 3_600
            for unit in [60, 1] as [Int64] where !isAtEnd {
                _ = skip(":")
                guard let number = number(2), number < 60 else { return nil }
                seconds += number * unit
            }
            return isNegative ? -seconds : seconds
        }

        private mutating func number(_ count: Int) -> Int64? {
            var value: Int64 = 0
            for _ in 0..<count {
                guard let digit = digit() else { return nil }
                value = value * 10 + digit
            }
            return value
        }

        private mutating func digit() -> Int64? {
            guard !isAtEnd, 0x30...0x39 ~= bytes[place] else { return nil }
            defer { place += 1 }
            return Int64(bytes[place] - 0x30)
        }

        private mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard !isAtEnd, bytes[place] == UInt8(ascii: character) else { return false }
            place += 1
            return true
        }
    }
}

// MARK: - The calendar

// The years begin with March here, so that a leap day is the last day of its year.
extension Timestamp {
    /// The days from 1970-01-01 to 2001-01-01.
    private static let referenceDay: Int64 = 11_323
    private static let daysOf400Years: Int64 = 146_097
    /// The days from March 1 of the year 0 to 1970-01-01.
    private static let epoch: Int64 = 719_468

    /// Returns the number of days from 1970-01-01 to a day.
    fileprivate static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let (era, yearOfEra) = (month > 2 ? year : year - 1).flooredDivision(by: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * daysOf400Years + dayOfEra - epoch
    }

    /// Returns the year, month and day that are this number of days after 1970-01-01.
    fileprivate static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, day) = (days + epoch).flooredDivision(by: daysOf400Years)
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let isEarly = month >= 10
        return (
            year + era * 400 + (isEarly ? 1 : 0), isEarly ? month - 9 : month + 3, dayOfYear - (153 * month + 2) / 5 + 1
        )
    }
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
