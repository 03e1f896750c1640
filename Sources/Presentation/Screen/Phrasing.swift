import Foundation

/// Wording that renderers share. None of it depends on a locale, so that a state always looks the same.
extension BinaryInteger {
    /// The number with commas between the thousands: `8,866,000`.
    public var grouped: String {
        let digits = String(magnitude)
        var result = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { result += "," }
            result.append(digit)
        }
        return result
    }

    /// Returns the number with the noun that goes with it: `3.counting("city", "cities")`.
    public func counting(_ singular: String, _ plural: String) -> String {
        "\(grouped) \(self == 1 ? singular : plural)"
    }
}

extension Date {
    /// The date and time in UTC: `2026-11-20 06:24 UTC`.
    public var inWords: String {
        let text = formatted(.iso8601.dateSeparator(.dash).timeSeparator(.colon))
        // Without the seconds. A year can have more than four digits.
        return text.dropLast(":00Z".count).replacing("T", with: " ") + " UTC"
    }
}
