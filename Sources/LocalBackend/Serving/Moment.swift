/// The time, as much of it as a connection needs.
struct Moment {
    var instant: ContinuousClock.Instant
    /// Seconds since 1970.
    private var second = Int.min
    /// The value of the `Date` header.
    private(set) var date = ""

    init(instant: ContinuousClock.Instant, second: Int) {
        self.instant = instant
        update(instant: instant, second: second)
    }

    /// Writes the date anew only when its second has passed.
    mutating func update(instant: ContinuousClock.Instant, second: Int) {
        self.instant = instant
        guard second != self.second else { return }
        self.second = second
        date = httpDate(secondsSince1970: second)
    }
}
