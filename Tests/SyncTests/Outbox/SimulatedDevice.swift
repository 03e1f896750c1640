import Foundation
import Persistence

@testable import Sync

/// The disk of a simulated device: tables that are changed in one step, or not at all.
final class SimulatedDisk: OutboxRows {
    private(set) var rows: [Int: OutboxRow] = [:]
    private var numbers: [String: ArraySlice<Int>] = [:]
    /// What the device remembers until it crashes.
    var setters: [String: ColumnSetters] = [:]
    var notes: [Int: Note] = [:]
    /// How far the changes of the server were pulled.
    var cursor: PullCursor?
    /// The notes that have changed since the laws were last checked.
    var changed: Set<Int> = []
    /// The number of rows that were read, for tests of what a step costs.
    var rowsRead = 0

    func writes(of entity: String, limit: Int = .max) -> [OutboxRow] {
        let writes = numbers[entity]?.prefix(limit).compactMap { rows[$0] } ?? []
        rowsRead += writes.count
        return writes
    }

    func writes(of entity: String, after number: Int) -> [OutboxRow] {
        let writes = numbers[entity]?.reversed().prefix { $0 > number }.reversed().compactMap { rows[$0] } ?? []
        rowsRead += writes.count
        return writes
    }

    func setters(of entity: String) -> ColumnSetters? { setters[entity] }

    func note(_ new: ColumnSetters?, of entity: String) { setters[entity] = new }

    func isOnly(_ number: Int, of entity: String) -> Bool { numbers[entity] == [number] }

    func put(_ row: OutboxRow) {
        if rows.updateValue(row, forKey: row.number) == nil { numbers[row.entity, default: []].append(row.number) }
    }

    func remove(_ number: Int) {
        guard let row = rows.removeValue(forKey: number) else { return }
        if numbers[row.entity]?.first == number {
            numbers[row.entity]?.removeFirst()
        } else {
            numbers[row.entity]?.removeAll { $0 == number }
        }
    }

    func pullAgain(after number: Int) { cursor = cursor?.limited(to: number) }

    func markUncertain(_ number: Int) { rows[number]?.isUncertain = true }

    func shown(_ id: Int) -> Note? { notes[id] }

    func show(_ note: Note?, id: Int) {
        notes[id] = note
        changed.insert(id)
    }

    /// Does all that `body` does, or nothing if the device crashes at its end.
    func transaction<Result>(crashes: Bool, _ body: () throws -> Result) throws -> Result? {
        let before = crashes ? (rows, numbers, notes, cursor) : nil
        let result = try body()
        guard let before else { return result }
        (rows, numbers, notes, cursor) = before
        return nil
    }
}

/// A device with an outbox. It takes the steps of `Outbox`, one at a time, and can crash between any two of them.
final class SimulatedDevice {
    let number: Int
    let rules: OutboxRules<Note>
    let disk = SimulatedDisk()
    var queue = OutboxQueue()
    var link = OutboxLink()
    var pulls = PullLedger()
    /// The requests that are under way, by the number of the write.
    var requests: [Int: (attempt: Int, row: OutboxRow, deadline: Date)] = [:]
    var pull: (attempt: Int, ledger: Int)?
    /// The writes that were acknowledged and are not at their end.
    var open: Set<Int> = []
    var givenUp: Set<Int> = []
    /// How often a person has sent each write again.
    var decisions: [Int: Int] = [:]
    /// Values that this device has overwritten, by the note: they must not come back on the screen.
    var overwritten: [Int: Set<Int>] = [:]
    /// The values that this device has shown, by the note, each with the number of its last write before that.
    private var seen: [Int: [Int: Int]] = [:]
    /// The server's values in the columns of the conflicts that were reported, by the note.
    private var reported: [Int: Set<Int>] = [:]
    private var lastNumber = 0

    init(_ number: Int, _ kind: SimulatedServer.Kind) {
        self.number = number
        rules = OutboxRules(
            schema: Note.schema, versionColumn: kind.versionColumn, serverRemembersKeys: kind == .keys,
            isNumbered: kind != .values)
    }

    func tag(_ write: Int) -> NoteTag { NoteTag(device: number, number: write, decision: decisions[write] ?? 0) }

    // MARK: - The steps of an outbox

    /// Makes a change; returns nil if it has no effect, or if the device crashes before the transaction ends.
    func write(_ change: OutboxRules<Note>.Change, key: UUID, at now: Date, crashes: Bool) throws -> OutboxRow? {
        let number = lastNumber + 1
        let before = disk.notes[change.id]
        let row = try disk.transaction(crashes: crashes) { () -> OutboxRow? in
            let row = try rules.record(change, number: number, key: key, at: now, in: disk)
            if let row { queue.reserve(number, of: row.subject) }
            return row
        }
        if crashes { crash() }
        guard let row = row.flatMap({ $0 }) else { return nil }
        lastNumber = number
        open.insert(number)
        if let before {
            let after = disk.notes[change.id]
            for (old, new) in [(before.title, after?.title), (before.body, after?.body)] where old != new {
                overwritten[change.id, default: []].insert(old)
            }
        }
        queue.commit(number)
        return row
    }

    /// Takes the next write to send, and marks it on the disk if need be.
    func next(at now: Date) -> OutboxRow? {
        let sending = disk.rows.keys.count { queue.phase(of: $0) == .sending }
        guard link.nextProbe(after: now) == nil, sending < link.width(4), let number = queue.next(at: now),
            let row = disk.rows[number]
        else { return nil }
        if !rules.serverRemembersKeys { disk.markUncertain(number) }
        return row
    }

    /// Keeps an answer.
    func settle(_ row: OutboxRow, _ answer: OutboxAnswer<Note>, key: UUID, at now: Date) throws -> OutboxSettlement {
        var resolution: WriteConflict<Note>.Resolution?
        if case let .conflict(current) = answer, let conflict = try rules.conflict(of: row, with: current) {
            resolution = rules.resolution(of: conflict, in: try rules.write(row), \.usualResolution)
            report(conflict)
        }
        if !answer.reach.isFailure { pulls.note([row.entity]) }
        let settlement = try rules.settle(
            row.number, of: row.entity, answer, wasUncertain: row.isUncertain, resolution: resolution,
            sent: (row, rules.write(row)), key: key, in: disk)
        var state = OutboxState()
        (state.queue, state.link) = (queue, link)
        state.apply(settlement, answer.reach, to: row.number, at: now, Outbox.Configuration())
        (queue, link) = (state.queue, state.link)
        if settlement == .done { open.remove(row.number) }
        return settlement
    }

    // MARK: - Pulling

    /// Takes the next step of a pull after an answer. Returns the next question; nil if the pull has ended.
    func pull(_ answer: SimulatedPull.Answer) throws -> SimulatedPull.Question? {
        guard let ledger = pull?.ledger else { return nil }
        switch answer {
        case let .extent(extent):
            if disk.cursor == nil, disk.notes.isEmpty, disk.rows.isEmpty {
                disk.cursor = PullCursor.first(of: extent)
            }
            guard let cursor = disk.cursor, extent.covers(cursor) else { return .everything(extent.last) }
            return .deletions(cursor, extent)
        case let .deletions(start, extent, deletions):
            pulls.cancel(ledger)
            pull?.ledger = pulls.begin()
            return .changes(start, extent, deletions)
        case let .changes(start, extent, deletions, notes, now):
            let leftOut = try rules.merge(changed: notes, settledMeanwhile: pulls.end(ledger), in: disk)
            // Another answer may have set the cursor back.
            let isUnmoved = disk.cursor == start
            if isUnmoved { disk.cursor?.changes = max(start.changes, min(extent.last, leftOut.map { $0 - 1 } ?? .max)) }
            guard now.covers(start) else { return nil }
            let leftOutDeletion = try rules.merge(deletions, in: disk)
            if isUnmoved { disk.cursor?.deletions = min(extent.last, leftOutDeletion.map { $0 - 1 } ?? .max) }
            return nil
        case let .everything(notes, number):
            let leftOut = try rules.merge(
                notes, replacing: Array(disk.notes.values), settledMeanwhile: pulls.end(ledger),
                hasWrites: { queue.hasWrites(to: OutboxEntity(channel: "notes", name: $0)) },
                parked: Set(parked.map(\.entity)), in: disk)
            guard let number else { return nil }
            let cursor = PullCursor(id: "notes", changes: number, deletions: number)
            disk.cursor = leftOut.map { cursor.limited(to: $0 - 1) } ?? cursor
            return nil
        }
    }

    /// Loses all that is not on the disk.
    func crash() {
        (queue, link, pulls) = (OutboxQueue(), OutboxLink(), PullLedger())
        (requests, pull) = ([:], nil)
        disk.setters = [:]
        for row in disk.rows.values.sorted(by: { $0.number < $1.number }) {
            queue.restore(row.number, of: row.subject, isParked: row.parking != .none)
        }
    }

    // MARK: - A person

    var parked: [OutboxRow] {
        disk.rows.values.filter { $0.parking != .none }.sorted { $0.number < $1.number }
    }

    func retry(_ row: OutboxRow, key: UUID) throws {
        let gone = try rules.retry(row.number, of: row.entity, key: key, in: disk)
        for number in gone {
            queue.remove(number)
            open.remove(number)
        }
        decisions[row.number, default: 0] += 1
        queue.release(row.number)
    }

    func edit(_ row: OutboxRow, to note: Note, key: UUID) throws {
        try rules.edit(row.number, to: note, key: key, in: disk)
        decisions[row.number, default: 0] += 1
        queue.release(row.number)
    }

    func giveUp(_ row: OutboxRow) throws {
        let gone = try rules.giveUp(row.number, of: row.entity, in: disk)
        for number in gone {
            queue.remove(number)
            open.remove(number)
            givenUp.insert(number)
        }
        overwritten[try rules.write(row).id] = nil
    }

    // MARK: - The screen

    /// A law of the screen that is broken; nil if all is well.
    func brokenLaw() throws -> String? {
        defer { disk.changed = [] }
        for id in disk.changed {
            for value in disk.notes[id].map({ [$0.title, $0.body] }) ?? [] where seen[id]?[value] == nil {
                seen[id, default: [:]][value] = lastNumber
            }
            if let note = disk.notes[id], let values = overwritten[id],
                values.contains(note.title) || values.contains(note.body)
            {
                return "device \(number) shows a value of note \(id) that it has overwritten: \(note)"
            }
            let rows = disk.writes(of: rules.entity(id))
            guard let last = rows.last else { continue }
            let write = try rules.write(last)
            let shown = disk.notes[id]
            if write.kind == .delete ? shown != nil : !write.isDone(in: shown) {
                return "device \(number) does not show write \(last.number) to note \(id): \(String(describing: shown))"
            }
            if rows.filter({ $0.truth != nil }).count != 1 { return "note \(id) has no single truth" }
        }
        return nil
    }

    private func report(_ conflict: WriteConflict<Note>) {
        guard let theirs = conflict.theirs else { return }
        // A conflict with an insertion or a deletion is one over the whole object.
        let isWhole = conflict.isInsertion || conflict.mine == nil
        let values = [("title", theirs.title), ("body", theirs.body)]
            .filter { isWhole || conflict.columns.contains($0.0) }.map(\.1)
        reported[conflict.id, default: []].formUnion(values)
    }

    /// Throws if a write has replaced a value on the server unseen: this device has not shown it before the write was
    /// made, nor reported it in a conflict.
    func checkReplaced(_ before: Note, by write: OutboxWrite<Note>, _ number: Int) throws {
        // A person who sends a write again has seen what it replaces.
        if decisions[number] != nil { return }
        for (column, value) in [(1, before.title), (2, before.body)] {
            let isReplaced = write.kind == .delete || write.new[column].map { $0 != .integer(Int64(value)) } ?? false
            let isSeen = seen[before.id]?[value].map { $0 < number } ?? false
            if isReplaced, !isSeen, reported[before.id]?.contains(value) != true {
                throw BrokenLaw.unseen("\(value) of \(before) by write \(number) of device \(self.number)")
            }
        }
    }
}

/// A law of the outbox that a server has seen broken.
enum BrokenLaw: Error {
    case lost(String)
    /// A change of another device was overwritten without a conflict.
    case unseen(String)
}
