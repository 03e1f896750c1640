import Foundation

/// The times to wait after failures: each is twice the one before, up to a limit.
struct DoublingDelay: Equatable, Sendable {
    var first: TimeInterval
    var limit: TimeInterval

    func time(after failures: Int) -> TimeInterval {
        max(0, min(limit, first * pow(2, Double(min(max(failures, 1), 30) - 1))))
    }
}
