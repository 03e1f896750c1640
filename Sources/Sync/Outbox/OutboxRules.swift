import Foundation
import Persistence

/// The next phase of a write that was sent.
enum OutboxSettlement: Equatable, Sendable {
    case done
    /// The network or the server failed.
    case postponed
    /// The write is sent again at once, applied to the server's object.
    case rebased
    case parked
}

/// The rules that turn the writes to one table into objects on the screen and requests to the server.
///
/// A shown object is an ``Persistence/Optimistic`` value: the server's truth, with the waiting writes on top in the
/// order in which they were made. A confirmation moves the first write into the truth, giving up a write removes it,
/// and a newer truth is placed below all of them. The rows store this on disk: the row of an object's first write also
/// has the truth.
///
/// The type has no clock, network or transaction. Each function is one step, which its caller runs in a transaction.
struct OutboxRules<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    typealias Write = OutboxWrite<Object>
    typealias Shown = Optimistic<Write, Int>

    enum Change: Sendable {
        case insert(Object)
        /// A change of the object that a person saw; nil if that is the shown one.
        case update(Object, basedOn: Object? = nil)
        case upsert(Object)
        case delete(Object.ID)

        var id: Object.ID {
            switch self {
            case let .insert(object), let .update(object, _), let .upsert(object): object.id
            case let .delete(id): id
            }
        }
    }

    let columns: OutboxColumns<Object>
    /// `true` if a conflict proves that no earlier request of the write was done.
    let serverRemembersKeys: Bool
    /// `true` if the version is the number of the object's last change, which is greater than the numbers of all
    /// changes before it.
    let isNumbered: Bool
    let schema: Schema<Object>

    init(
        schema: Schema<Object>, versionColumn: Int?, serverRemembersKeys: Bool, isNumbered: Bool = false,
        columnChanges: [ColumnChange] = []
    ) {
        self.schema = schema
        self.serverRemembersKeys = serverRemembersKeys
        self.isNumbered = isNumbered
        columns = OutboxColumns(schema, version: versionColumn, changes: columnChanges)
    }

    var versionColumn: Int? { columns.version }

    /// Returns the name under which the outbox keeps the writes to an object. Different objects have different names: what
    /// errors print of a date or of data is not enough.
    func entity(_ id: Object.ID) -> String {
        let value = id.primitiveValue
        let exact: String? =
            switch value {
            case .date, .data: value.postgresText
            default: nil
            }
        return "\(schema.name)/\(exact ?? id.printed)"
    }

    // MARK: - Writing

    /// Applies a change to the shown object, and adds its write to the outbox; returns nil if it changes nothing.
    func record(
        _ change: Change, number: Int, key: UUID, at date: Date, in rows: some OutboxRows<Object>
    ) throws(StoreError) -> OutboxRow? {
        let shown = try rows.shown(change.id)
        guard let write = try write(for: change, to: shown) else { return nil }
        let entity = entity(change.id)
        let isFirst = try rows.writes(of: entity, limit: 1).isEmpty
        let row = OutboxRow(
            number: number, entity: entity, channel: schema.name, body: try write.encoded(),
            truth: isFirst ? schema.truth(shown) : nil, key: key, date: date)
        try rows.put(row)
        try rows.show(write.applied(to: shown), id: change.id)
        return row
    }

    private func write(for change: Change, to shown: Object?) throws(StoreError) -> Write? {
        switch change {
        case let .insert(object):
            guard shown == nil else { throw .duplicate(id: object.id.printed) }
            return .insert(object, schema, versionColumn: versionColumn, replaces: false)
        case let .update(object, seen):
            guard let shown else { throw .missing(id: object.id.printed) }
            var write = Write.update(from: seen ?? shown, to: object, schema, versionColumn: versionColumn)
            write?.follow(shown: shown)
            return write?.isEmpty == true ? nil : write
        case let .upsert(object):
            guard let shown else { return .insert(object, schema, versionColumn: versionColumn, replaces: true) }
            return .update(from: shown, to: object, schema, versionColumn: versionColumn)
        case .delete:
            guard let shown else { return nil }
            return .delete(shown, schema, versionColumn: versionColumn)
        }
    }

    // MARK: - Sending

    func write(_ row: OutboxRow) throws(StoreError) -> Write {
        var write = try Write(row.body, columns)
        write.mayBeDone = row.isUncertain
        return write
    }

    /// Returns the conflict that a server's answer means; nil if the server's object already is as the write would make
    /// it.
    func conflict(of row: OutboxRow, with current: Object?) throws(StoreError) -> WriteConflict<Object>? {
        let write = try write(row)
        let mayBeDone = row.isUncertain && !serverRemembersKeys
        if write.isDone(in: current) { return nil }
        // A UUID is unique, so the object is the one that this write has added.
        let isInsertion = write.kind == .insert || write.kind == .upsert
        if isInsertion, mayBeDone, current != nil, schema.id.attribute.kind == .uuid { return nil }
        let columns = current.map { write.contestedColumns(in: $0, mayBeDone: mayBeDone) } ?? []
        let mine = write.kind == .delete ? nil : write.applied(to: try base(of: row, current))
        return WriteConflict(
            id: write.id, mine: mine, theirs: current, columns: columns.map { schema.columns[$0].name },
            isInsertion: isInsertion, isUncertain: mayBeDone)
    }

    /// Returns the resolution of a conflict: that of `resolve`, unless the write is meant to replace any object of the
    /// server.
    func resolution(
        of conflict: WriteConflict<Object>, in write: Write,
        _ resolve: (WriteConflict<Object>) -> WriteConflict<Object>.Resolution
    ) -> WriteConflict<Object>.Resolution {
        write.kind == .upsert && conflict.theirs != nil && !conflict.isUncertain ? .keepMine : resolve(conflict)
    }

    /// Applies the answer to the first write of an entity to the rows.
    ///
    /// - Parameters:
    ///   - wasUncertain: `true` if the write was uncertain before it was sent this time.
    ///   - sent: The row as it was sent, and its decoded write, which then need not be decoded again.
    ///   - resolution: The resolution of the conflict, if the answer is one; nil otherwise.
    ///   - key: The key of the write if it is sent again in another form.
    func settle(
        _ number: Int, of entity: String, _ answer: OutboxAnswer<Object>, wasUncertain: Bool = true,
        resolution: WriteConflict<Object>.Resolution? = nil, sent: (row: OutboxRow, write: Write)? = nil,
        key: @autoclosure () -> UUID, in rows: some OutboxRows<Object>
    ) throws(StoreError) -> OutboxSettlement {
        if case let .accepted(object) = answer, let sent, !isNumbered, try rows.isOnly(number, of: entity) {
            rows.note(nil, of: entity)
            try confirmOnly(number, sent.write, object, in: rows)
            return .done
        }
        var first = try rows.writes(of: entity, limit: 2)
        guard first.first?.number == number else { return .done }
        switch answer {
        case let .busy(_, _, mayBeDone), let .unreachable(_, mayBeDone):
            // An earlier attempt may have been done, also if this one certainly was not.
            let isUncertain = mayBeDone || wasUncertain && first[0].isUncertain
            if isUncertain != first[0].isUncertain {
                first[0].isUncertain = isUncertain
                try rows.put(first[0])
            }
            return .postponed
        case let .refused(reason, _, isOfContent):
            if !wasUncertain || isOfContent && serverRemembersKeys {
                first[0].isUncertain = false
            } else if isOfContent {
                // The server may remember refusals, though the store does not rely on it.
                first[0].key = key()
            }
            first[0].parking = .refused
            first[0].reason = reason
            try rows.put(first[0])
            return .parked
        case let .unconfirmed(reason):
            first[0].isUncertain = true
            first[0].parking = .unconfirmed
            first[0].reason = reason
            try rows.put(first[0])
            return .parked
        case let .acceptedUnreadable(_, values, isResult):
            try confirmUnread(first, values, isResult: isResult, in: rows)
            return .done
        case let .accepted(object):
            let truth = try later(object, or: first[0], in: rows)
            try confirm(first, truth, answer: object, isResult: true, sent, in: rows)
            return .done
        case let .conflict(current):
            let truth = try later(current, or: first[0], in: rows)
            guard let resolution else {
                try confirm(first, truth, answer: current, isResult: false, sent, in: rows)
                return .done
            }
            return try resolve(
                rows.writes(of: entity), with: current, truth: truth, resolution, key: key(), in: rows)
        }
    }

    private func resolve(
        _ writes: [OutboxRow], with current: Object?, truth: Object?,
        _ resolution: WriteConflict<Object>.Resolution, key: UUID, in rows: some OutboxRows<Object>
    ) throws(StoreError) -> OutboxSettlement {
        var writes = writes
        var write = try write(writes[0])
        let meant = write.applied(to: try base(of: writes[0], current))
        writes[0].truth = schema.truth(truth)
        switch resolution {
        case .keepTheirs:
            try drop(writes, at: 0, in: rows)
            return .done
        case .ask:
            writes[0].parking = .conflict
            writes[0].reason = reason(of: write, current)
            // The intended object stays on the screen, even if the server has deleted it.
            if current == nil { write.addAgain(meant) }
            writes[0].body = try write.encoded()
            try rows.put(writes[0])
            try show(writes, in: rows)
            return .parked
        case .keepMine:
            write.rebase(on: current, meaning: meant, isNamed: true)
        case let .merge(object):
            if let current {
                guard let merged = Write.update(from: current, to: object, schema, versionColumn: versionColumn) else {
                    try drop(writes, at: 0, in: rows)
                    return .done
                }
                write = merged
            } else {
                write = .insert(object, schema, versionColumn: versionColumn, replaces: true)
            }
        }
        try put(write, as: &writes[0], key: key, in: rows)
        try show(writes, in: rows)
        return .rebased
    }

    /// Returns the server's object, or the last known one if it was deleted there.
    private func base(of row: OutboxRow, _ current: Object?) throws(StoreError) -> Object? {
        if let current { return current }
        return try schema.object(fromTruth: row.truth)
    }

    private func reason(of write: Write, _ current: Object?) -> String {
        guard let current else { return "it was deleted on the server" }
        let columns = write.contestedColumns(in: current).map { schema.columns[$0].name }
        return columns.isEmpty
            ? "it was changed on the server" : "\(columns.joined(separator: ", ")) was changed on the server"
    }

    // MARK: - Machinery

    func optimistic(_ writes: [OutboxRow]) throws(StoreError) -> Shown {
        var shown = Shown(truth: try schema.object(fromTruth: writes.first?.truth))
        for row in writes { shown.apply(try write(row), id: row.number) }
        return shown
    }

    /// Shows the object with the writes of an entity. If one of them, or the truth, cannot be read, the shown object
    /// stays as it is; if that cannot be read either, the truth is shown.
    func show(_ writes: [OutboxRow], in rows: some OutboxRows<Object>) throws(StoreError) {
        guard let first = writes.first else { return }
        if let shown = try? optimistic(writes) { return try rows.show(shown.value, id: try write(first).id) }
        let truth = try? schema.object(fromTruth: first.truth)
        guard let id = id(of: first) ?? truth?.id else { return }
        do throws(StoreError) {
            _ = try rows.shown(id)
        } catch {
            guard case .unreadable = error else { throw error }
            try rows.show(truth, id: id)
        }
    }

    func put(
        _ write: Write, as row: inout OutboxRow, key: UUID, in rows: some OutboxRows<Object>
    ) throws(StoreError) {
        row.body = try write.encoded()
        row.key = key
        row.isUncertain = false
        row.parking = .none
        row.reason = nil
        try rows.put(row)
    }
}
