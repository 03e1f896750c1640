import Persistence

/// The state of a listener, the callers that wait until it listens, and the pauses between its attempts to connect.
///
/// It is a value without locks or system calls.
struct ListenerState<Waiter: AnyObject & Sendable>: Sendable {
    enum Phase: Sendable {
        case idle
        case connecting
        case listening
        case over
    }

    /// The next step of a caller that wants the connection to listen.
    enum Need: Sendable {
        case nothing
        case wait
        /// It begins to connect, and waits.
        case connect
    }

    /// The first pause, in milliseconds.
    private static var firstPause: Int32 { 50 }

    private(set) var phase = Phase.idle
    private var waiting: [Waiter] = []
    /// The error if the connection cannot listen.
    private var failure: StoreError?
    private var nextPause = firstPause

    /// Adds a caller, unless it need not wait.
    mutating func add(_ waiter: Waiter) -> Need {
        switch phase {
        case .listening, .over: return .nothing
        case .idle:
            phase = .connecting
            waiting.append(waiter)
            return .connect
        case .connecting:
            waiting.append(waiter)
            return .wait
        }
    }

    /// Removes a caller; returns nil if the connection listens, or else the reason why not: `late` if none is known.
    mutating func remove(_ waiter: Waiter, orLate late: StoreError) -> StoreError? {
        waiting.removeAll { $0 === waiter }
        return phase == .listening ? nil : failure ?? late
    }

    /// Returns the callers that need not wait any longer. The end is final.
    mutating func enter(_ phase: Phase, _ failure: StoreError? = nil) -> [Waiter] {
        guard self.phase != .over else { return [] }
        self.phase = phase
        self.failure = failure
        if phase == .listening { nextPause = Self.firstPause }
        return phase == .listening || failure != nil ? waiting : []
    }

    /// Returns the time in milliseconds until the next attempt to connect, which is longer after each one that has failed.
    mutating func pause() -> Int32 {
        defer { nextPause = min(nextPause * 2, 2_000) }
        return nextPause
    }
}
