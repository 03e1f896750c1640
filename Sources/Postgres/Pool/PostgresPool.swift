import Dispatch
import Feedback
import Persistence

/// The connections of a database: a bounded number, opened when they are first needed.
///
/// Threads and tasks that find none free wait, in the order in which they came.
final class PostgresPool: Sendable {
    private struct State: Sendable {
        var idle: [PostgresConnection] = []
        var busy = 0
        var waiting: [Waiter] = []
        var isClosed = false
        /// `true` if ``serveLate()`` will be called.
        var isWatched = false

        /// Takes a place among the busy ones, with an idle connection if there is one; returns nil if there is no
        /// place.
        mutating func takePlace(_ maximum: Int) -> PostgresConnection?? {
            guard busy < maximum else { return .none }
            busy += 1
            return .some(idle.popLast())
        }
    }

    /// A thread or a task that waits for a place.
    private final class Waiter: Sendable {
        enum Outcome: Sendable {
            /// A place, with a connection if there is one.
            case place(PostgresConnection?)
            case late
            case cancelled
        }

        let outcome = Locked<Outcome?>(nil)
        let deadline: ContinuousClock.Instant
        private let wakeUp: @Sendable () -> Void

        init(until deadline: ContinuousClock.Instant, _ wakeUp: @escaping @Sendable () -> Void) {
            self.deadline = deadline
            self.wakeUp = wakeUp
        }

        func end(_ outcome: Outcome) {
            self.outcome.withLock { $0 = outcome }
            wakeUp()
        }
    }

    let address: PostgresAddress
    let patience: Duration
    private let maximum: Int
    private let limit: AnswerLimit?
    private let state = Locked(State())

    init(_ address: PostgresAddress, maximum: Int, patience: Duration, answerTimeout: Duration? = nil) {
        self.address = address
        limit = answerTimeout.map { AnswerLimit($0) }
        self.maximum = max(1, maximum)
        self.patience = patience
    }

    /// The number of connections that are open and not in use.
    var idle: Int { state.withLock(\.idle.count) }

    /// The number of callers that wait for a connection.
    var waiting: Int { state.withLock(\.waiting.count) }

    // MARK: - Taking

    /// Takes a connection, which ``giveBack(_:)`` or ``discard(_:)`` returns. The calling thread waits for it.
    ///
    /// - Parameter isChecked: `true` if the connection must be alive. Otherwise it may have been closed since its last use.
    func take(isChecked: Bool = true) throws(StoreError) -> PostgresConnection {
        let place: PostgresConnection?
        if let free = state.withLock({ $0.takePlace(maximum) }) {
            place = free
        } else {
            let isServed = DispatchSemaphore(value: 0)
            let waiter = Waiter(until: .now + patience) { isServed.signal() }
            if add(waiter) { isServed.wait() }
            place = try self.place(of: waiter)
        }
        if let connection = usable(place, isChecked) { return connection }
        return try keepingPlace { () throws(StoreError) in try open() }
    }

    private func open() throws(StoreError) -> PostgresConnection {
        try PostgresConnection(address, patience: patience, limit: limit)
    }

    /// Takes a connection; the task is suspended until there is one.
    func take(isChecked: Bool = true) async throws(StoreError) -> PostgresConnection {
        let place: PostgresConnection?
        if let free = state.withLock({ $0.takePlace(maximum) }) {
            place = free
        } else {
            place = try await waitForPlace()
        }
        if let connection = usable(place, isChecked) { return connection }
        // If the task is cancelled meanwhile, the next caller gets the connection.
        let opened = await onOtherThread(late: { self.leave(try? $0.get()) }) {
            () throws(StoreError) in try self.open()
        }
        guard let opened else { throw .cancelled }
        return try keepingPlace { () throws(StoreError) in try opened.get() }
    }

    private func waitForPlace() async throws(StoreError) -> PostgresConnection? {
        let taken = Locked<Waiter?>(nil)
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let waiter = Waiter(until: .now + patience) { continuation.resume() }
                taken.withLock { $0 = waiter }
                guard add(waiter) else { return continuation.resume() }
                // A cancellation before this moment had nothing to end.
                if Task.isCancelled { cancel(waiter) }
            }
        } onCancel: {
            if let waiter = taken.withLock({ $0 }) { cancel(waiter) }
        }
        guard let waiter = taken.withLock({ $0 }) else { return nil }
        return try self.place(of: waiter)
    }

    /// Returns the connection that was passed on, or an idle one, if it can be used; nil otherwise.
    private func usable(_ place: PostgresConnection?, _ isChecked: Bool) -> PostgresConnection? {
        var place = place
        while let connection = place {
            if !isChecked || connection.isAlive { return connection }
            // The place is kept, and an idle connection is taken instead.
            place = state.withLock { $0.idle.popLast() }
        }
        return nil
    }

    /// Opens a connection for a place that was taken; gives up the place if that fails.
    private func keepingPlace(
        _ open: () throws(StoreError) -> PostgresConnection
    ) throws(StoreError) -> PostgresConnection {
        do throws(StoreError) {
            return try open()
        } catch {
            leave(nil)
            throw error
        }
    }

    // MARK: - Returning

    /// Returns a connection, which is reused if possible.
    func giveBack(_ connection: PostgresConnection) {
        connection.clean()
        let isUsable = !connection.isLost && !connection.isOutdated && connection.isBetweenTransactions
        leave(isUsable ? connection : nil)
    }

    /// Returns a connection that cannot be used again. It is closed with its last reference.
    func discard(_ connection: PostgresConnection) { leave(nil) }

    /// Returns a connection whose work was cancelled.
    func end(_ connection: PostgresConnection, isUsable: Bool) {
        if isUsable { giveBack(connection) } else { discard(connection) }
    }

    /// Closes the connections that are not in use now, and each of the others when it is returned.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        _ = idle
    }

    private func leave(_ connection: PostgresConnection?) {
        let served = state.withLock { state -> Waiter? in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            state.busy -= 1
            if let connection, !state.isClosed { state.idle.append(connection) }
            return nil
        }
        served?.end(.place(connection))
    }

    // MARK: - Waiting

    /// Adds a caller that waits; returns false if a place became free meanwhile, which the caller then has.
    private func add(_ waiter: Waiter) -> Bool {
        let (free, isFirst) = state.withLock { state -> (PostgresConnection??, Bool) in
            if let free = state.takePlace(maximum) { return (.some(free), false) }
            state.waiting.append(waiter)
            defer { state.isWatched = true }
            return (.none, !state.isWatched)
        }
        if isFirst { serveLate(at: waiter.deadline) }
        guard let free else { return true }
        waiter.outcome.withLock { $0 = .place(free) }
        return false
    }

    private func place(of waiter: Waiter) throws(StoreError) -> PostgresConnection? {
        switch waiter.outcome.withLock({ $0 }) {
        case .place(let connection): return connection
        case .cancelled: throw .cancelled
        case .late, nil:
            throw .unreachable(reason: "none of the \(maximum) connections to \(address) became free in \(patience)")
        }
    }

    private func cancel(_ waiter: Waiter) {
        let isWaiting = state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0 === waiter }) else { return false }
            state.waiting.remove(at: index)
            return true
        }
        if isWaiting { waiter.end(.cancelled) }
    }

    /// Ends the waiting of callers that have waited too long, and schedules itself again while there are others.
    ///
    /// All wait for the same time, so those that came first time out first, and one timer serves all.
    private func serveLate(at deadline: ContinuousClock.Instant) {
        let time = ContinuousClock.now.duration(to: deadline).timeInterval
        DispatchQueue.global().asyncAfter(deadline: .now() + time) { [weak self] in
            guard let self else { return }
            let (late, next) = state.withLock { state -> ([Waiter], ContinuousClock.Instant?) in
                let late = state.waiting.prefix { $0.deadline <= ContinuousClock.now }
                state.waiting.removeFirst(late.count)
                let next = state.waiting.first?.deadline
                state.isWatched = next != nil
                return (Array(late), next)
            }
            for waiter in late { waiter.end(.late) }
            if let next { serveLate(at: next) }
        }
    }
}
