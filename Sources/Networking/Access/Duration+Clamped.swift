extension Duration {
    /// The longest duration that is waited for.
    static let year: Duration = .seconds(31_536_000)

    /// The duration limited to a range from a millisecond to a year, so that it can be added to any instant and slept for.
    var clamped: Duration { min(max(self, .milliseconds(1)), .year) }
}
