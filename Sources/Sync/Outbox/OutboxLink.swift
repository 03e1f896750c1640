import Foundation

/// The state of the network as an outbox sees it: open, or closed until a probe gets through.
///
/// It is a plain value; the caller says what time it is. A probe is the next write that waits, by itself.
struct OutboxLink: Equatable, Sendable {
    /// Times between probes. The limit is below a second, so that the network's return is noticed within one.
    var backoff = Backoff(first: 0.1, limit: 0.8)
    /// The number of failures of the server in a row, of any writes, after which it counts as unreachable.
    var toleratedFailures = 3

    private(set) var offlineSince: Date?
    private(set) var lastSuccess: Date?
    private var failures = 0
    private var nextProbe: Date?
    /// The time for which the server has asked to be left alone.
    private var pause: ClosedRange<Date>?
    /// The longest such time.
    private static let longestPause: TimeInterval = 3_600

    init(lastSuccess: Date? = nil) { self.lastSuccess = lastSuccess }

    var isOffline: Bool { offlineSince != nil }

    /// When the next write may be sent; nil if it may be sent now.
    ///
    /// A probe that is further away than any delay was planned before the clock was set back, and is due.
    func nextProbe(after now: Date) -> Date? {
        if let pause, pause.contains(now), pause.upperBound > now { return pause.upperBound }
        return nextProbe.flatMap { $0 > now && $0 <= now.addingTimeInterval(backoff.limit) ? $0 : nil }
    }

    /// The number of writes that may be under way at once.
    func width(_ width: Int) -> Int { isOffline ? 1 : width }

    /// The server has answered, perhaps with a refusal.
    ///
    /// - Returns: Whether this ends a time without network.
    @discardableResult
    mutating func succeeded(at now: Date) -> Bool {
        lastSuccess = now
        failures = 0
        nextProbe = nil
        defer { offlineSince = nil }
        return isOffline
    }

    /// The server asks to be left alone. Nothing is sent until then, whatever other requests are answered.
    mutating func pause(for time: TimeInterval, at now: Date) {
        let end = now.addingTimeInterval(max(0, min(time, Self.longestPause)))
        if let pause, pause.contains(now), pause.upperBound > end { return }
        pause = now...end
    }

    /// A request has failed.
    ///
    /// - Parameter isNetwork: Whether the server was not reached at all.
    mutating func failed(at now: Date, isNetwork: Bool) {
        failures += 1
        guard isNetwork || failures >= toleratedFailures || isOffline else { return }
        // Requests that were under way together fail together, and count once.
        if nextProbe(after: now) != nil { return }
        if offlineSince == nil {
            offlineSince = now
            failures = 1
        }
        nextProbe = now.addingTimeInterval(backoff.delay(after: failures))
    }
}
