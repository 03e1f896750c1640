import Feedback
import Foundation
import Persistence

/// The writes that are still to be sent to a server, kept in a database until it has taken them.
///
///     let outbox = try Outbox(in: database)
///     let movies = try SyncedStore(Movie.schema, remote: remote, outbox: outbox)
///     try await movies.save(movie)       // on the disk and on the screen, and sent as soon as that is possible
///     outbox.status.producer.startWithValues { print($0) }
///
/// The laws:
///
/// 1. A write that was acknowledged is never lost: its object and its row of the outbox are written in one transaction.
/// 2. The writes to one object reach the server in the order in which they were made; those to others do not wait for them.
/// 3. A write has its effect once. A request whose answer was lost is repeated with the same key and the same expectations of
///    the server's object, so that the server, or what it holds, tells whether it was done before.
/// 4. A failure of the network or of the server is tried again, for ever. A refusal is not: the write is parked, shown in
///    ``parked``, and only a person ends that with ``retry(_:)`` or ``giveUp(_:)``, or with another value.
///
/// A database has one outbox, which all of its synced stores share. One process at a time should have it: what several write
/// to one file is kept and sent, but the order of their writes to one object is then not certain.
public final class Outbox: Sendable {
    /// Settings of an outbox.
    public struct Configuration: Sendable {
        /// The number of requests that are under way at once.
        public var width = 16
        /// The longest time between two probes while there is no network.
        public var probeInterval: Duration = .milliseconds(800)
        /// The longest time between two tries of a write while the server fails with it.
        public var retryInterval: Duration = .seconds(30)

        /// Makes the settings that are best for most.
        public init() {}
    }

    /// The number of writes that wait and that are parked, and whether there is a network.
    public let status: Property<SyncStatus>
    /// The writes that the server has refused, the oldest first.
    public let parked: Property<[ParkedWrite]>
    /// Sends each conflict and its end.
    public let conflicts: Signal<ConflictEvent, NoError>

    /// The database that holds the writes, and the objects of the synced stores.
    public let database: SQLiteDatabase
    let rows: SQLiteStore<OutboxRow>
    let configuration: Configuration
    let scheduler: any DateScheduler
    let state: Locked<OutboxState>
    let statusProperty: MutableProperty<SyncStatus>
    private let parkedProperty = MutableProperty<[ParkedWrite]>([])
    let conflictObserver: Signal<ConflictEvent, NoError>.Observer

    /// - Parameter scheduler: Where the outbox does its work, and its clock.
    public init(
        in database: SQLiteDatabase, on scheduler: any DateScheduler = QueueScheduler(qos: .utility),
        configure: (inout Configuration) -> Void = { _ in }
    ) throws(StoreError) {
        var configuration = Configuration()
        configure(&configuration)
        self.configuration = configuration
        self.scheduler = scheduler
        self.database = database
        rows = try SQLiteStore(OutboxRow.schema, in: database)
        var state = OutboxState()
        state.link.backoff.limit = configuration.probeInterval.timeInterval
        state.lastNumber =
            try rows.answer(rows.sorted(by: \.number, inOrder: .descending).page(limit: 1))
            .first?.number ?? 0
        self.state = Locked(state)
        statusProperty = MutableProperty(SyncStatus())
        status = Property(statusProperty).skipRepeats()
        parked = Property(parkedProperty)
        (conflicts, conflictObserver) = Signal.pipe()
    }

    deinit {
        let (requests, timer) = state.withLock { ($0.requests, $0.timer) }
        for request in requests.values { request.cancel() }
        timer?.disposable?.dispose()
    }

    /// Tells the outbox that the server was reached, for example by another request, or that the system has a network again.
    /// All that waits is sent now.
    public func networkIsBack() {
        let mayWait = state.withLock { state in
            let now = scheduler.currentDate
            if state.link.succeeded(at: now) { state.problem = nil }
            state.queue.hurry()
            return state.queue.waiting > 0
        }
        if mayWait { wake() } else { publish() }
    }
}

extension Outbox {
    /// Another request to the same server was answered.
    func noteSuccess() {
        if state.withLock({ $0.link.isOffline }) { networkIsBack() }
    }
}

// MARK: - Channels

extension Outbox {
    /// Adds a kind of writes, with those that an earlier run of the program has left behind.
    func add(_ channel: some OutboxChannel) throws(StoreError) {
        let name = channel.name
        let kept = try rows.answer(rows.filter(where: \.channel == name).sorted(by: \.number))
        state.withLock { state in
            state.channels[name] = channel
            for row in kept { state.queue.restore(row.number, of: row.entity, isParked: row.parking != .none) }
        }
        note(parked: kept.filter { $0.parking != .none }, gone: [])
        publish()
        wake()
    }

    /// The entities of a channel whose first write is parked.
    func parkedEntities(of channel: String) -> Set<String> {
        Set(parked.value.lazy.filter { $0.table == channel }.map(\.entity))
    }

    /// `true` if any write is not done.
    var hasWrites: Bool { state.withLock { !$0.queue.isEmpty } }

    func hasWrites(to entity: String) -> Bool { state.withLock { $0.queue.hasWrites(to: entity) } }

    func writes(to entity: String, limit: Int) -> [Int] { state.withLock { $0.queue.writes(to: entity, limit: limit) } }
}

// MARK: - Writing

extension Outbox {
    /// Makes changes and adds their writes, in one transaction.
    ///
    /// `record` gets the number of the next write, and returns its row, or nil if there is none.
    func write<Change: Sendable>(
        _ changes: [Change],
        _ record: (Change, Int, SQLiteTransaction<OutboxRow>) throws(StoreError) -> OutboxRow?
    ) throws(StoreError) {
        var reserved: [Int] = []
        defer {
            // What is left here was not committed.
            if !reserved.isEmpty { state.withLock { state in reserved.forEach { state.queue.remove($0) } } }
        }
        try rows.perform { transaction throws(StoreError) in
            for change in changes {
                var number = state.withLock { $0.lastNumber + 1 }
                // Another process may have written to the file meanwhile.
                while try transaction.object(withId: number) != nil { number += 1 }
                guard let row = try record(change, number, transaction) else { continue }
                state.withLock { state in
                    state.lastNumber = number
                    // The order of the numbers is that of the transactions, since one thread at a time is here.
                    state.queue.reserve(number, of: row.entity)
                }
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

// MARK: - Parked writes

extension Outbox {
    /// Sends a parked write again. If the server's object has changed, the write is made on top of it.
    public func retry(_ id: ParkedWrite.ID) async throws(StoreError) {
        try unpark(id) { channel, row, transaction throws(StoreError) in
            try channel.retry(row, in: transaction)
        }
    }

    /// Gives a parked write up. The object goes back to the server's state, with the writes that were made after this one on
    /// top; writes that mean nothing without it are given up too.
    public func giveUp(_ id: ParkedWrite.ID) async throws(StoreError) {
        try unpark(id) { channel, row, transaction throws(StoreError) in
            try channel.giveUp(row, in: transaction)
        }
    }

    /// Does something with a parked write. `body` returns the numbers of the writes that are gone.
    func unpark(
        _ number: Int, _ body: (any OutboxChannel, OutboxRow, SQLiteTransaction<OutboxRow>) throws(StoreError) -> [Int]
    ) throws(StoreError) {
        var channel: (any OutboxChannel)?
        var gone: [Int] = []
        try rows.perform { transaction throws(StoreError) in
            guard let row = try transaction.object(withId: number), row.parking != .none,
                let known = state.withLock({ $0.channels[row.channel] })
            else { throw .missing(id: "\(number)") }
            channel = known
            gone = try body(known, row, transaction)
        }
        state.withLock { state in
            for number in gone { state.queue.remove(number) }
            state.queue.release(number)
        }
        note(parked: [], gone: gone + [number])
        publish()
        channel?.didSettle()
        wake()
    }

    func note(parked new: [OutboxRow], gone: [Int]) {
        if new.isEmpty, gone.isEmpty { return }
        let channels = state.withLock(\.channels)
        let writes = new.compactMap { row in
            channels[row.channel].map { channel in
                ParkedWrite(
                    id: row.number, table: row.channel, entity: row.entity, summary: channel.summary(of: row),
                    cause: row.parking == .conflict ? .conflict : .refused, reason: row.reason ?? "", date: row.date)
            }
        }
        let gone = Set(gone + new.map(\.number))
        parkedProperty.modify { parked in
            parked.removeAll { gone.contains($0.id) }
            parked += writes
            parked.sort { $0.id < $1.id }
        }
    }
}
