/// The period that a feed of quakes covers, up to now.
public enum QuakePeriod: String, CaseIterable, Sendable {
    case hour, day, week, month
}
