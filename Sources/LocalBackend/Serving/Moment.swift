/// The time in the forms that a connection needs.
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

    /// Sets the time. The date is written again only if the second has changed.
    mutating func update(instant: ContinuousClock.Instant, second: Int) {
        self.instant = instant
        guard second != self.second else { return }
        self.second = second
        date = httpDate(secondsSince1970: second)
    }
}
