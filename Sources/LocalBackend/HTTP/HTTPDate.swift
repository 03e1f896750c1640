/// Returns a time as `Sun, 06 Nov 1994 08:49:37 GMT`, the format that HTTP requires.
func httpDate(secondsSince1970 seconds: Int) -> String {
    let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
    // Civil date from days: years are counted from March, so that the leap day is the last one of its year.
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = (monthFromMarch + 2) % 12
    let year = yearOfEra + era * 400 + (month < 2 ? 1 : 0)
    let time = [second / 3_600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
    return "\(weekdays[(days + 4) % 7]), \(twoDigits(day)) \(months[month]) \(year) \(time) GMT"
}

private let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
private let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

private func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
