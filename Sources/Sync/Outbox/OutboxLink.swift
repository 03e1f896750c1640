import Foundation

/// The state of the network for an outbox: open, or closed until a probe succeeds.
///
/// It is a plain value; the caller passes the time. A probe is the next waiting write, sent alone.
struct OutboxLink: Equatable, Sendable {
    /// The times between probes. The limit is below a second, so that the return of the network is noticed within one.
    var probeDelay = DoublingDelay(first: 0.1, limit: 0.8)
    /// The number of consecutive failures of the server, with any writes, after which it counts as unreachable.
    var toleratedFailures = 3

    private(set) var offlineSince: Date?
    private(set) var lastSuccess: Date?
    private var failures = 0
    private var nextProbe: Date?
    /// The time during which the server has asked not to be called.
    private var pause: ClosedRange<Date>?
    /// The longest such time that is respected, in seconds.
    private static let longestPause: TimeInterval = 3_600

    init(lastSuccess: Date? = nil) { self.lastSuccess = lastSuccess }

    var isOffline: Bool { offlineSince != nil }

    /// Returns the time at which the next write may be sent; nil if it may be sent now.
    ///
    /// A probe that is further away than any delay was scheduled before the clock was set back, and is due.
    func nextProbe(after now: Date) -> Date? {
        if let pause, pause.contains(now), pause.upperBound > now { return pause.upperBound }
        return nextProbe.flatMap { $0 > now && $0 <= now.addingTimeInterval(probeDelay.limit) ? $0 : nil }
    }

    /// Returns the number of writes that may be under way at once.
    func width(_ width: Int) -> Int { isOffline ? 1 : width }

    /// Records that the server has answered, perhaps with a refusal.
    ///
    /// - Returns: `true` if there was no network before.
    @discardableResult
    mutating func succeeded(at now: Date) -> Bool {
        lastSuccess = now
        failures = 0
        nextProbe = nil
        defer { offlineSince = nil }
        return isOffline
    }

    /// Lets the next probe be sent now.
    mutating func probe() { nextProbe = nil }

    /// Pauses as the server has asked. Nothing is sent until then, even if other requests are answered.
    mutating func pause(for time: TimeInterval, at now: Date) {
        let end = now.addingTimeInterval(max(0, min(time, Self.longestPause)))
        if let pause, pause.contains(now), pause.upperBound > end { return }
        pause = now...end
    }

    /// Records that a request has failed.
    ///
    /// - Parameter isNetwork: `true` if the server was not reached at all.
    mutating func failed(at now: Date, isNetwork: Bool) {
        failures += 1
        guard isNetwork || failures >= toleratedFailures || isOffline else { return }
        // Requests that were under way at the same time fail together, and count once.
        if nextProbe(after: now) != nil { return }
        if offlineSince == nil {
            offlineSince = now
            failures = 1
        }
        nextProbe = now.addingTimeInterval(probeDelay.time(after: failures))
    }
}
