import Feedback
import Foundation
import Persistence

/// A queue of writes to a server, stored in a database until the server has accepted them.
///
///     let outbox = try Outbox(in: database)
///     let movies = try SyncedStore(Movie.schema, remote: remote, outbox: outbox)
///     try await movies.save(movie)       // on the disk and on the screen, and sent as soon as that is possible
///     outbox.status.producer.startWithValues { print($0) }
///
/// The laws:
///
/// 1. An acknowledged write is never lost: its object and its row of the outbox are written in one transaction.
/// 2. The writes to one object reach the server in the order in which they were made; writes to other objects do not
///    wait for them.
/// 3. A write has its effect once. A request whose answer was lost is repeated with the same key and the same
///    expectations of the server's object, so that the server, or its object, shows if the write was already done.
/// 4. After a failure of the network or of the server, a write is tried again, without end. After a refusal it is not:
///    the write is parked and shown in ``parked``, until a person calls ``retry(_:)`` or ``giveUp(_:)``, or changes its
///    value.
///
/// A database has one outbox, which all of its synced stores share. It belongs to one user, since the writes in it name
/// none; <doc:TheOutbox> says what to do when another one signs in. Only one process at a time can open the outbox of a
/// file, since an outbox does not see the writes that another process adds; a second one gets
/// `StoreError.locked(file:)`. The lock is held on an empty file beside the database, whose name ends with `-outbox`.
/// iOS ends an app that holds it while the app is suspended if the file is in a container that apps share;
/// <doc:TheOutbox> says what to do.
public final class Outbox: Sendable {
    /// Settings of an outbox.
    public struct Configuration: Sendable {
        /// The number of requests that are under way at once, from 1 to 1,000.
        public var width = 16
        /// The longest time between two probes of the server while there is no network.
        public var probeInterval: Duration = .milliseconds(800)
        /// The longest time between two attempts to send a write that the server fails to process.
        public var retryInterval: Duration = .seconds(30)

        /// Makes the default settings.
        public init() {}
    }

    /// The number of waiting and of parked writes, and the state of the network.
    public let status: Property<SyncStatus>
    /// The writes that the server has refused, the oldest first.
    public let parked: Property<[ParkedWrite]>
    /// Sends each conflict and its outcome.
    public let conflicts: Signal<ConflictEvent, NoError>

    /// The database that holds the writes, and the objects of the synced stores.
    public let database: SQLiteDatabase
    let rows: SQLiteStore<OutboxRow>
    let lock: OutboxLock?
    let configuration: Configuration
    let scheduler: any DateScheduler
    let state: Locked<OutboxState>
    let statusProperty: MutableProperty<SyncStatus>
    let parkedProperty = MutableProperty<[ParkedWrite]>([])
    let conflictObserver: Signal<ConflictEvent, NoError>.Observer

    /// Opens the outbox of a database. Throws `StoreError.locked(file:)` if another process has it open.
    ///
    /// - Parameter scheduler: The scheduler on which the outbox works; it is also the clock.
    public init(
        in database: SQLiteDatabase, on scheduler: any DateScheduler = QueueScheduler(qos: .utility),
        configure: (inout Configuration) -> Void = { _ in }
    ) throws(StoreError) {
        var configuration = Configuration()
        configure(&configuration)
        configuration.width = min(max(configuration.width, 1), 1_000)
        self.configuration = configuration
        self.scheduler = scheduler
        self.database = database
        lock = try database.path.map { path throws(StoreError) in try OutboxLock(ofDatabaseAt: path) }
        try Self.capitalizeKeys(in: database)
        rows = try SQLiteStore(OutboxRow.schema, in: database)
        var state = OutboxState()
        state.link.probeDelay.limit = configuration.probeInterval.timeInterval
        let last = try database.rows("SELECT max(number) FROM outbox")
        state.lastNumber = last.first.flatMap { Int(primitiveValue: $0[0]) } ?? 0
        self.state = Locked(state)
        statusProperty = MutableProperty(SyncStatus())
        status = Property(statusProperty).skipRepeats()
        parked = Property(parkedProperty)
        (conflicts, conflictObserver) = Signal.pipe()
    }

    deinit {
        let (senders, timer) = state.withLock { ($0.senders, $0.timer) }
        for sender in senders.values { sender?.cancel() }
        timer?.disposable?.dispose()
    }

    /// Tells the outbox that the server was reached, for example by another request, or that the system has a network
    /// again. All waiting writes are then sent; if the server has asked to be left alone for a time, after that time.
    public func networkIsBack() {
        let mayWait = state.withLock { state in
            let now = scheduler.currentDate
            if state.link.succeeded(at: now) { (state.problem, state.isServerReached) = (nil, true) }
            state.queue.hurry()
            return state.queue.waiting > 0
        }
        if mayWait { wake() } else { publish() }
    }
}

extension Outbox {
    /// Records that the server has answered another request.
    func noteSuccess() {
        let (isOffline, mustProve) = state.withLock { state in
            guard state.link.isOffline else { return (false, false) }
            state.queue.hurry()
            let canSend = state.queue.mayHaveNext || !state.ready.isEmpty || !state.underWay.isEmpty
            // If the server was reached before, too, it could not do the writes. One of them shows whether it can now.
            return (true, state.isServerReached && canSend)
        }
        if mustProve { probe() } else if isOffline { networkIsBack() }
    }

    /// Sends one waiting write now if there seems to be no network, or if the server fails. If it succeeds, the others
    /// follow.
    func probe() {
        let mayProbe = state.withLock { state in
            guard state.link.isOffline else { return false }
            state.link.probe()
            state.queue.hurry()
            return true
        }
        if mayProbe { wake() }
    }
}

// MARK: - Channels

extension Outbox {
    /// Adds a kind of writes, together with the writes of an earlier run of the program. Throws if the outbox has a kind
    /// with the same name.
    func add(_ channel: some OutboxChannel) throws(StoreError) {
        let name = channel.name
        guard state.withLock({ $0.channelNames.insert(name).inserted }) else {
            throw .refused(
                reason: "the outbox already sends the writes of \"\(name)\"; make one synced store for each table, and "
                    + "give other requests a name that no table has")
        }
        do throws(StoreError) {
            try restore(channel)
        } catch {
            state.withLock { _ = $0.channelNames.remove(name) }
            throw error
        }
    }

    private func restore(_ channel: some OutboxChannel) throws(StoreError) {
        let name = channel.name
        try recoverRows(of: channel)
        try channel.upgrade(rows)
        // The bodies of the writes that wait are read when they are sent.
        let kept = try database.rows("SELECT number, entity FROM outbox WHERE channel = \(name) ORDER BY number")
        let numbers = try database.rows(
            "SELECT number FROM outbox WHERE channel = \(name) AND parking <> \(OutboxRow.Parking.none)")
        let parked =
            numbers.isEmpty
            ? [] : try rows.perform { transaction throws(StoreError) in try transaction.readableRows(numbers) }
        let parkedNumbers = Set(parked.map(\.number))
        state.withLock { state in
            state.channels[name] = channel
            for row in kept {
                guard case let .integer(number) = row[0], case let .text(entity) = row[1] else { continue }
                state.queue.restore(
                    Int(number), of: OutboxEntity(channel: name, name: entity),
                    isParked: parkedNumbers.contains(Int(number)))
            }
        }
        note(parked: parked, gone: [])
        publish()
        wake()
    }

    /// Ends the sending of a kind of writes. The ones that wait stay on the disk.
    ///
    /// It waits for the requests that are under way, so that a channel which is added afterwards does not send the same
    /// writes at the same time. If the disk cannot keep an answer, it throws after the third attempt.
    func close(_ channel: some OutboxChannel) async throws(StoreError) {
        let name = channel.name
        let isClosed = channel.gate.phase.withLock { phase in
            if phase == .open { phase = .closing }
            return phase == .closed
        }
        if isClosed { return }
        // Writes that are ready while the server cannot be reached are withdrawn now.
        wake()
        var hasWaited = false
        while true {
            // In a transaction, since others see in the queue if an object has waiting writes.
            let (isClosed, steps, failure) = try rows.perform { _ throws(StoreError) in
                state.withLock { ($0.close(channel), $0.steps, $0.diskFailure) }
            }
            if isClosed { break }
            if hasWaited, let failure, failure.count >= 3 { throw failure.error }
            hasWaited = true
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    // The requests may have ended since the look.
                    guard state.steps == steps else { return false }
                    state.stepWaiters.append(continuation)
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        }
        note(parked: [], gone: parked.value.filter { $0.table == name }.map(\.id))
        publish()
    }

    /// Returns the entities of a channel whose first write is parked.
    func parkedEntities(of channel: String) -> Set<String> {
        Set(parked.value.lazy.filter { $0.table == channel }.map(\.entity))
    }

    /// `true` if there are writes that are not done.
    var hasWrites: Bool { state.withLock { !$0.queue.isEmpty } }

    func hasWrites(to entity: OutboxEntity) -> Bool { state.withLock { $0.queue.hasWrites(to: entity) } }

    func writes(to entity: OutboxEntity, limit: Int) -> [Int] {
        state.withLock { $0.queue.writes(to: entity, limit: limit) }
    }

    func writes(to entity: OutboxEntity, after number: Int) -> [Int] {
        state.withLock { $0.queue.writes(to: entity, after: number) }
    }
}

// MARK: - Writing

extension Outbox {
    static func closed(_ name: String) -> StoreError {
        .refused(
            reason: "the outbox no longer sends the writes of \"\(name)\", since their store was closed; make a new one"
        )
    }

    /// Makes changes and adds their writes, in one transaction.
    ///
    /// `record` gets the number of the next write, and returns its row, or nil if there is none.
    func write<Change: Sendable>(
        _ changes: [Change],
        _ record: (Change, Int, SQLiteTransaction<OutboxRow>) throws(StoreError) -> OutboxRow?
    ) throws(StoreError) {
        var reserved: [Int] = []
        defer {
            // The numbers that are still here were not committed.
            if !reserved.isEmpty { state.withLock { state in reserved.forEach { state.queue.remove($0) } } }
        }
        try rows.perform { transaction throws(StoreError) in
            for change in changes {
                var number = state.withLock(\.lastNumber)
                repeat {
                    guard number < .max else {
                        throw .refused(
                            reason: "a waiting write has the greatest number there is, since the file is damaged")
                    }
                    number += 1
                    // Another process may have written to the file meanwhile.
                } while try transaction.object(withId: number) != nil
                guard let row = try record(change, number, transaction) else { continue }
                let isOpen = state.withLock { state in
                    guard state.channels[row.channel]?.isOpen == true else { return false }
                    state.lastNumber = number
                    // Only one thread at a time runs this, so the numbers are in the order of the transactions.
                    state.queue.reserve(number, of: row.subject)
                    return true
                }
                guard isOpen else { throw Self.closed(row.channel) }
                reserved.append(number)
            }
        }
        let committed = reserved
        reserved = []
        state.withLock { state in committed.forEach { state.queue.commit($0) } }
        guard !committed.isEmpty else { return }
        publish()
        wake()
    }
}
