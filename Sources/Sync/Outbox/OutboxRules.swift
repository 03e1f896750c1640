import Foundation
import Persistence

/// The next phase of a write that was sent.
enum OutboxSettlement: Equatable, Sendable {
    case done
    /// The network or the server failed.
    case postponed
    /// It is sent again at once, on top of the server's object.
    case rebased
    case parked
}

/// The rules by which the writes of an outbox become objects on the screen and requests to the server, for one table.
///
/// A shown object is an ``Persistence/Optimistic`` value: the server's truth, with the writes that wait on top of it in the
/// order in which they were made. A confirmation moves the first one into the truth, giving one up takes it away, and a newer
/// truth goes below them all. The rows keep this in a form that outlives the process: the first write of an object has the
/// truth beside it.
///
/// There is no clock, no network and no transaction here. Each function is one step that its caller keeps whole, or not at all.
struct OutboxRules<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    typealias Write = OutboxWrite<Object>
    typealias Shown = Optimistic<Write, Int>

    enum Change: Sendable {
        case insert(Object)
        case update(Object)
        case upsert(Object)
        case delete(Object.ID)

        var id: Object.ID {
            switch self {
            case let .insert(object), let .update(object), let .upsert(object): object.id
            case let .delete(id): id
            }
        }
    }

    let schema: Schema<Object>
    let versionColumn: Int?
    /// `true` if a conflict proves that no earlier request of the write was done.
    let serverRemembersKeys: Bool

    func entity(_ id: Object.ID) -> String { "\(schema.name)/\(id)" }

    // MARK: - Writing

    /// Makes a change on the screen, and adds its write to the outbox; nil if the change changes nothing.
    func record(
        _ change: Change, number: Int, key: UUID, at date: Date, in rows: some OutboxRows<Object>
    ) throws(StoreError) -> OutboxRow? {
        let shown = try rows.shown(change.id)
        guard let write = try write(for: change, to: shown) else { return nil }
        let entity = entity(change.id)
        let isFirst = try rows.writes(of: entity).isEmpty
        let row = OutboxRow(
            number: number, entity: entity, channel: schema.name, body: try write.encoded(),
            truth: isFirst ? try schema.truth(shown) : nil, key: key, date: date)
        try rows.put(row)
        try rows.show(write.applied(to: shown), id: change.id)
        return row
    }

    private func write(for change: Change, to shown: Object?) throws(StoreError) -> Write? {
        switch change {
        case let .insert(object):
            guard shown == nil else { throw .duplicate(id: "\(object.id)") }
            return .insert(object, schema, versionColumn: versionColumn, replaces: false)
        case let .update(object):
            guard let shown else { throw .missing(id: "\(object.id)") }
            return .update(from: shown, to: object, schema, versionColumn: versionColumn)
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
        try Write(row.body, schema, versionColumn: versionColumn)
    }

    /// The conflict that a server's answer means; nil if the server's object is as the write leaves it.
    func conflict(of row: OutboxRow, with current: Object?) throws(StoreError) -> WriteConflict<Object>? {
        let write = try write(row)
        let mayBeDone = row.isUncertain && !serverRemembersKeys
        if write.isDone(in: current) { return nil }
        // An id that nobody else makes: the object is the one that this write has added.
        let isInsertion = write.kind == .insert || write.kind == .upsert
        if isInsertion, mayBeDone, current != nil, schema.id.attribute.kind == .uuid { return nil }
        let columns = current.map { write.contestedColumns(in: $0, mayBeDone: mayBeDone) } ?? []
        let mine = write.kind == .delete ? nil : write.applied(to: try base(of: row, current))
        return WriteConflict(
            id: write.id, mine: mine, theirs: current, columns: columns.map { schema.columns[$0].name },
            isInsertion: isInsertion, isUncertain: mayBeDone)
    }

    /// The end of a conflict: what `resolve` says, unless the write was to replace whatever the server has.
    func resolution(
        of conflict: WriteConflict<Object>, in write: Write,
        _ resolve: (WriteConflict<Object>) -> WriteConflict<Object>.Resolution
    ) -> WriteConflict<Object>.Resolution {
        write.kind == .upsert && conflict.theirs != nil && !conflict.isUncertain ? .keepMine : resolve(conflict)
    }

    /// Brings the rows up to date with the answer to the first write of an entity.
    ///
    /// - Parameters:
    ///   - wasUncertain: Whether the write was uncertain before it was sent this time.
    ///   - resolution: The end of the conflict that the answer is; nil if the answer is none.
    ///   - key: The key of the write if it is sent again in another form.
    func settle(
        _ number: Int, of entity: String, _ answer: OutboxAnswer<Object>, wasUncertain: Bool = true,
        resolution: WriteConflict<Object>.Resolution? = nil, key: UUID, in rows: some OutboxRows<Object>
    ) throws(StoreError) -> OutboxSettlement {
        var writes = try rows.writes(of: entity)
        guard let first = writes.first, first.number == number else { return .done }
        switch answer {
        case .unreachable(_, mayBeDone: false) where !wasUncertain && writes[0].isUncertain:
            writes[0].isUncertain = false
            try rows.put(writes[0])
            return .postponed
        case .busy, .unreachable:
            return .postponed
        case let .refused(reason):
            writes[0].parking = .refused
            writes[0].reason = reason
            try rows.put(writes[0])
            return .parked
        case let .accepted(object):
            try confirm(writes, object, in: rows)
            return .done
        case let .conflict(current):
            guard let resolution else {
                try confirm(writes, current, in: rows)
                return .done
            }
            return try resolve(writes, with: current, resolution, key: key, in: rows)
        }
    }

    private func resolve(
        _ writes: [OutboxRow], with current: Object?, _ resolution: WriteConflict<Object>.Resolution, key: UUID,
        in rows: some OutboxRows<Object>
    ) throws(StoreError) -> OutboxSettlement {
        var writes = writes
        var write = try write(writes[0])
        let meant = write.applied(to: try base(of: writes[0], current))
        writes[0].truth = try schema.truth(current)
        switch resolution {
        case .keepTheirs:
            try drop(writes, at: 0, in: rows)
            return .done
        case .ask:
            writes[0].parking = .conflict
            writes[0].reason = reason(of: write, current)
            // What was meant stays on the screen, also if the server has deleted the object.
            if current == nil { write.rebase(on: nil, meaning: meant) }
            writes[0].body = try write.encoded()
            try rows.put(writes[0])
            try show(writes, in: rows)
            return .parked
        case .keepMine:
            write.rebase(on: current, meaning: meant)
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
        if write.kind != .delete, write.isEmpty {
            try drop(writes, at: 0, in: rows)
            return .done
        }
        try put(write, as: &writes[0], key: key, in: rows)
        try show(writes, in: rows)
        return .rebased
    }

    /// The server's object, or the one that it had before it was deleted there.
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

    private func confirm(
        _ writes: [OutboxRow], _ object: Object?, in rows: some OutboxRows<Object>
    ) throws(StoreError) {
        let confirmed = try write(writes[0])
        var rest = Array(writes.dropFirst())
        var shown = try optimistic(writes)
        shown.confirm(writes[0].number, answer: object)
        try rows.remove(writes[0].number)
        if !rest.isEmpty {
            var next = try write(rest[0])
            next.follow(confirmed, leaving: object)
            rest[0].body = try next.encoded()
            rest[0].truth = try schema.truth(object)
            try rows.put(rest[0])
        }
        try rows.show(shown.value, id: confirmed.id)
    }

    // MARK: - The server's truth

    /// Puts the server's object below the writes that wait, or on the screen if none do.
    func setTruth(_ object: Object?, of id: Object.ID, in rows: some OutboxRows<Object>) throws(StoreError) {
        var writes = try rows.writes(of: entity(id))
        guard !writes.isEmpty else { return try rows.show(object, id: id) }
        writes[0].truth = try schema.truth(object)
        try rows.put(writes[0])
        try show(writes, in: rows)
    }

    /// Makes the objects of a part of the table be those of a server's answer, below the writes that wait.
    ///
    /// - Parameters:
    ///   - known: The shown objects of that part.
    ///   - settled: The entities whose writes the server has answered since it was asked. The answer may be older than that.
    ///   - hasWrites: Whether an entity has writes that wait. What the server says is gone stays below these.
    func merge(
        _ answer: [Object], replacing known: [Object], settledMeanwhile settled: Set<String>,
        hasWrites: (String) -> Bool, in rows: some OutboxRows<Object>
    ) throws(StoreError) {
        let before = Dictionary(known.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var present: Set<Object.ID> = []
        for object in answer {
            present.insert(object.id)
            let entity = entity(object.id)
            if settled.contains(entity) { continue }
            if let old = before[object.id], !hasWrites(entity), schema.values(of: old) == schema.values(of: object) {
                continue
            }
            try setTruth(object, of: object.id, in: rows)
        }
        for object in known where !present.contains(object.id) {
            let entity = entity(object.id)
            if !settled.contains(entity), !hasWrites(entity) { try rows.show(nil, id: object.id) }
        }
    }

    // MARK: - Machinery

    func optimistic(_ writes: [OutboxRow]) throws(StoreError) -> Shown {
        var shown = Shown(truth: try schema.object(fromTruth: writes.first?.truth))
        for row in writes { shown.apply(try write(row), id: row.number) }
        return shown
    }

    func show(_ writes: [OutboxRow], in rows: some OutboxRows<Object>) throws(StoreError) {
        guard let first = writes.first else { return }
        try rows.show(try optimistic(writes).value, id: try write(first).id)
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
