/// The waits for input, and who watches the sockets: threads of tasks, or the watcher's own thread.
///
/// A thread of a task watches during a visit. There are visits as long as answers are likely to come soon, and the watcher's
/// thread rests meanwhile.
///
/// It is a value without locks or system calls.
struct SocketWaits<Waiter: Sendable>: Sendable {
    /// The state of the watcher's thread.
    enum Watch: Sendable {
        /// There is no thread.
        case none
        case watching
        /// The thread rests while threads of tasks watch.
        case resting
    }

    /// The work that a wait, or the end of a visit, asks of the caller.
    enum Need: Sendable {
        case nothing
        case visit
        case thread
        case wakeUp
    }

    private struct Wait {
        let waiter: Waiter
        /// `true` if the wait is likely to end soon.
        var isSoon: Bool
    }

    private let maximumVisits: Int
    private var waits: [UInt64: Wait] = [:]
    /// The number of the waits that are likely to end soon.
    private var soon = 0
    /// The number of visits.
    private var visits = 0
    private var watch = Watch.none

    init(maximumVisits: Int) { self.maximumVisits = maximumVisits }

    mutating func add(_ waiter: Waiter, as number: UInt64, isSoon: Bool) -> Need {
        waits[number] = Wait(waiter: waiter, isSoon: isSoon)
        if isSoon { soon += 1 }
        guard isSoon, visits < min(maximumVisits, soon) else { return visits > 0 ? .nothing : thread() }
        visits += 1
        return .visit
    }

    /// Adds a wait whose socket nobody can watch.
    mutating func addUnwatched(_ waiter: Waiter, as number: UInt64) {
        waits[number] = Wait(waiter: waiter, isSoon: false)
    }

    mutating func take(_ number: UInt64) -> Waiter? {
        guard let wait = waits.removeValue(forKey: number) else { return nil }
        if wait.isSoon { soon -= 1 }
        return wait.waiter
    }

    /// Ends a visit unless an answer is likely to come soon; returns what is needed then, or nil if the visit goes on.
    ///
    /// - Parameter isLate: `true` if there was none in time.
    mutating func leave(isLate: Bool) -> Need? {
        if isLate, visits == 1 {
            for number in waits.keys { waits[number]?.isSoon = false }
            soon = 0
        }
        guard isLate || soon == 0 else { return nil }
        visits -= 1
        return visits > 0 || waits.isEmpty ? .nothing : thread()
    }

    private mutating func thread() -> Need {
        defer { watch = .watching }
        return switch watch {
        case .none: .thread
        case .watching: .nothing
        case .resting: .wakeUp
        }
    }

    /// Returns what the watcher's thread does next, after it has watched for a while.
    ///
    /// - Parameter isIdle: `true` if there was no input all the time.
    mutating func afterWatching(isIdle: Bool) -> Watch {
        if visits > 0 {
            watch = .resting
        } else if isIdle, waits.isEmpty {
            watch = .none
        }
        return watch
    }

    /// Ends the thread, which rests; returns false if it is needed meanwhile.
    mutating func endRest() -> Bool {
        guard case .resting = watch else { return false }
        watch = .none
        return true
    }
}
