/// How far back a feed of quakes reaches.
public enum QuakePeriod: String, CaseIterable, Sendable {
    case hour, day, week, month
}
