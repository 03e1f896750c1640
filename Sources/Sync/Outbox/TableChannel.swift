import Feedback
import Foundation
import Persistence

/// The writes of one table in an outbox.
struct TableChannel<Object: Identifiable & Sendable>: OutboxChannel where Object.ID: Primitive {
    typealias Resolve = @Sendable (WriteConflict<Object>) -> WriteConflict<Object>.Resolution

    let rules: OutboxRules<Object>
    let gate = OutboxGate()
    let objects: SQLiteStore<Object>
    let remote: any OutboxTable<Object>
    let resolve: Resolve
    let pulls: SharedPulls
    /// Returns the numbers of the oldest writes of an entity.
    let numbers: @Sendable (_ entity: String, _ limit: Int) -> [Int]
    /// Returns the numbers of the writes of an entity that are greater than one.
    let laterNumbers: @Sendable (_ entity: String, _ number: Int) -> [Int]
    let setters = KnownSetters()
    let cursors: SQLiteStore<PullCursor>
    let forms: SQLiteStore<OutboxForm>
    let changeObserver: Signal<Void, NoError>.Observer
    let leftOut: LeftOutObjects

    init(
        rules: OutboxRules<Object>, objects: SQLiteStore<Object>, remote: any OutboxTable<Object>,
        resolve: @escaping Resolve, outbox: Outbox, changeObserver: Signal<Void, NoError>.Observer
    ) throws(StoreError) {
        self.rules = rules
        self.objects = objects
        self.remote = remote
        self.resolve = resolve
        self.changeObserver = changeObserver
        pulls = SharedPulls()
        leftOut = try LeftOutObjects(of: rules.schema.name, in: outbox)
        numbers = { [weak outbox, name = rules.schema.name] entity, limit in
            outbox?.writes(to: OutboxEntity(channel: name, name: entity), limit: limit) ?? []
        }
        laterNumbers = { [weak outbox, name = rules.schema.name] entity, number in
            outbox?.writes(to: OutboxEntity(channel: name, name: entity), after: number) ?? []
        }
        cursors = try SQLiteStore(PullCursor.schema, in: outbox.database)
        forms = try SQLiteStore(OutboxForm.schema, in: outbox.database)
    }

    var name: String { rules.schema.name }
    func subject(_ entity: String) -> OutboxEntity { OutboxEntity(channel: name, name: entity) }
    /// If the server does not remember keys, only its objects can show if a write was done.
    var marksSentWrites: Bool { !rules.serverRemembersKeys }

    func upgrade(_ outbox: SQLiteStore<OutboxRow>) throws(StoreError) {
        let form = rules.columns.form
        if try forms.readable(name) == form { return }
        let numbers = try outbox.database.rows("SELECT number FROM outbox WHERE channel = \(name) ORDER BY number")
        try outbox.perform { transaction throws(StoreError) in
            try transaction.with(forms).upsert([form])
            // A server's object does not change its number when its table gets a column, so all are compared.
            try transaction.with(cursors).delete(ids: [name])
            let tables = try tables(transaction)
            let rows = try transaction.readableRows(numbers)
            for writes in Dictionary(grouping: rows, by: \.entity).values { try rules.upgrade(writes, in: tables) }
        }
    }

    func entity(of row: OutboxRow) -> String? {
        (rules.id(of: row) ?? (try? rules.schema.object(fromTruth: row.truth))?.id).map(rules.entity)
    }

    func send(_ row: OutboxRow) async -> OutboxResult {
        var reach = OutboxResult.Reach.notSent
        do throws(StoreError) {
            let write = try rules.write(row)
            let answer: OutboxAnswer<Object>
            if write.isEmpty {
                // The columns of the write were removed, so it has nothing left to send.
                answer = .accepted(try rules.schema.object(fromTruth: row.truth))
            } else {
                answer = checked(await remote.send(write, key: row.key), of: write.id)
                reach = answer.reach
            }
            var resolution: WriteConflict<Object>.Resolution?
            var event: ConflictEvent?
            if case let .conflict(current) = answer, let conflict = try rules.conflict(of: row, with: current) {
                let chosen = rules.resolution(of: conflict, in: write, resolve)
                if case let .merge(object) = chosen, object.id != write.id {
                    let reason = "a conflict of \(name) \(write.id.printed) was resolved with \(object.id.printed)"
                    return .parking(row, .refused, because: reason, reach: reach)
                }
                resolution = chosen
                event = ConflictEvent(
                    table: name, id: conflict.id.printed, columns: conflict.columns, outcome: .init(chosen))
            }
            return OutboxResult(reach, conflict: event) { [resolution] transaction throws(StoreError) in
                if !answer.reach.isFailure { pulls.note([row.entity]) }
                if case let .acceptedUnreadable(object, _, _) = answer {
                    try leftOut.note([object], answering: [write.id], in: transaction)
                }
                return try rules.settle(
                    row.number, of: row.entity, answer, wasUncertain: row.isUncertain, resolution: resolution,
                    sent: (row, write), key: UUID(), in: tables(transaction, isSettling: true))
            }
        } catch {
            // The row cannot be read. It is parked, for a newer version of the program or for a person.
            return .parking(row, .unreadable, because: "\(error)", reach: reach)
        }
    }

    /// Returns a refusal if an answer has another object than that of the write. Both would be shown.
    private func checked(_ answer: OutboxAnswer<Object>, of id: Object.ID) -> OutboxAnswer<Object> {
        switch answer {
        case let .accepted(object?) where object.id != id, let .conflict(object?) where object.id != id:
            .refused(reason: "the server answered with \(name) \(object.id.printed) instead of \(id.printed)")
        default: answer
        }
    }

    func summary(of row: OutboxRow) -> String {
        guard let write = try? rules.write(row) else { return String(decoding: row.body.prefix(200), as: UTF8.self) }
        let values = zip(rules.schema.columns, write.new).compactMap { column, value in
            value.map { "\(column.name): \($0)" }
        }
        return ([write.kind.rawValue] + (write.kind == .delete ? [] : [values.joined(separator: ", ")]))
            .joined(separator: " ")
    }

    func retry(_ row: OutboxRow, in transaction: SQLiteTransaction<OutboxRow>) throws(StoreError) -> [Int] {
        try rules.retry(row.number, of: row.entity, key: UUID(), in: tables(transaction))
    }

    func giveUp(_ row: OutboxRow, in transaction: SQLiteTransaction<OutboxRow>) throws(StoreError) -> [Int] {
        try rules.giveUp(row.number, of: row.entity, in: tables(transaction))
    }

    func didSettle() {
        // If the database cannot be read now, the next pull shows what was recorded.
        try? leftOut.refresh()
        changeObserver.send(value: ())
    }

    /// - Parameter isSettling: `true` for the answer to a write, for which the end of the channel waits.
    func tables(
        _ transaction: SQLiteTransaction<OutboxRow>, isSettling: Bool = false
    ) throws(StoreError) -> OutboxTables<Object> {
        // When the channel is closed, the waiting writes are not known any more, so the server's objects would hide them.
        let phase = gate.phase.withLock(\.self)
        guard phase == .open || phase == .closing && isSettling else { throw Outbox.closed(name) }
        return OutboxTables(
            outbox: transaction, objects: try transaction.with(objects), cursors: try transaction.with(cursors),
            table: name, numbers: numbers, laterNumbers: laterNumbers, setters: setters)
    }
}

/// The tables of a database in one transaction.
struct OutboxTables<Object: Identifiable & Sendable>: OutboxRows where Object.ID: Primitive {
    let outbox: SQLiteTransaction<OutboxRow>
    let objects: SQLiteTransaction<Object>
    let cursors: SQLiteTransaction<PullCursor>
    /// The name of the table of the objects.
    let table: String
    /// Returns the numbers of the oldest writes of an entity, without a search of the table.
    let numbers: @Sendable (_ entity: String, _ limit: Int) -> [Int]
    let laterNumbers: @Sendable (_ entity: String, _ number: Int) -> [Int]
    let setters: KnownSetters

    func writes(of entity: String, limit: Int) throws(StoreError) -> [OutboxRow] {
        let subject = OutboxEntity(channel: table, name: entity)
        var count = limit
        while true {
            let known = numbers(entity, count)
            var writes: [OutboxRow] = []
            // A number without a row belongs to a write that was just removed, or to a transaction that has failed.
            for number in known where writes.count < limit {
                if let row = try outbox.readableRow(number, of: subject) { writes.append(row) }
            }
            if writes.count == limit || known.count < count { return writes }
            count *= 2
        }
    }

    func writes(of entity: String, after number: Int) throws(StoreError) -> [OutboxRow] {
        let subject = OutboxEntity(channel: table, name: entity)
        var writes: [OutboxRow] = []
        for number in laterNumbers(entity, number) {
            if let row = try outbox.readableRow(number, of: subject) { writes.append(row) }
        }
        return writes
    }

    func setters(of entity: String) -> ColumnSetters? { setters[entity] }

    func note(_ new: ColumnSetters?, of entity: String) { setters.note(new, of: entity) }

    func isOnly(_ number: Int, of entity: String) -> Bool { numbers(entity, 2) == [number] }

    func put(_ row: OutboxRow) throws(StoreError) { try outbox.upsert([row]) }

    func remove(_ number: Int) throws(StoreError) { try outbox.delete(ids: [number]) }

    func pullAgain(after number: Int) throws(StoreError) {
        guard let cursor = try cursors.readable(table), cursor.limited(to: number) != cursor else { return }
        try cursors.update([cursor.limited(to: number)])
    }

    func shown(_ id: Object.ID) throws(StoreError) -> Object? { try objects.object(withId: id) }

    func show(_ object: Object?, id: Object.ID) throws(StoreError) {
        if let object { try objects.upsert([object]) } else { try objects.delete(ids: [id]) }
    }
}

extension ConflictEvent.Outcome {
    init<Object>(_ resolution: WriteConflict<Object>.Resolution) {
        self =
            switch resolution {
            case .keepMine: .keptMine
            case .keepTheirs: .keptTheirs
            case .merge: .merged
            case .ask: .asked
            }
    }
}
