import Foundation
import Persistence

@testable import Sync

/// The model of the simulation. Each write gives its columns values that no other write has.
struct Note: Equatable, Identifiable, Sendable {
    var id: Int
    var title: Int
    var body: Int
    var version: Int

    static let schema = Schema(
        "notes", { Note(id: $0, title: $1, body: $2, version: $3) }, Column("id", \.id), Column("title", \.title),
        Column("body", \.body), Column("version", \.version))
}

/// A decision of a person to make a change: the write that the server may do once at most.
struct NoteTag: Hashable {
    let device: Int
    let number: Int
    /// How often a person has sent the parked write again.
    let decision: Int
}

/// A server of notes that remembers what it has done, for the simulation's judgement only.
struct SimulatedServer {
    enum Kind: CaseIterable {
        /// It does requests with the same key once, and checks versions.
        case keys
        /// It checks versions.
        case versions
        /// It compares the old values of the columns.
        case values

        var versionColumn: Int? { self == .values ? nil : 3 }
    }

    let kind: Kind
    private(set) var notes: [Int: Note] = [:]
    /// The deletions, by the id.
    private var deleted: [Int: Deletion<Int>] = [:]
    private var extent = HistoryExtent(id: "notes", last: 0, forgotten: 0)
    private var answers: [UUID: Note?] = [:]
    /// The writes that have changed something.
    private(set) var done: Set<NoteTag> = []
    /// A write that has changed something twice.
    private(set) var doubled: NoteTag?
    /// The writes of each device to each note, in the order in which they were done.
    private(set) var order: [String: [Int]] = [:]

    init(_ kind: Kind) { self.kind = kind }

    mutating func handle(_ write: OutboxWrite<Note>, key: UUID, tag: NoteTag, refuses: Bool) -> OutboxAnswer<Note> {
        if kind == .keys, let answer = answers[key] { return .accepted(answer) }
        let current = notes[write.id]
        switch write.kind {
        case .insert, .upsert:
            if deleted[write.id] != nil { return .refused(reason: "gone") }
            if current != nil { return .conflict(current) }
        case .update, .delete:
            guard let current else { return write.kind == .delete ? .accepted(nil) : .conflict(nil) }
            let values = Note.schema.values(of: current)
            if write.expectations.contains(where: { values[$0.column] != $0.value }) { return .conflict(current) }
        }
        if refuses { return .refused(reason: "invalid") }
        var result = write.applied(to: current)
        extent = HistoryExtent(id: extent.id, last: extent.last + 1, forgotten: extent.forgotten)
        if kind != .values { result?.version = extent.last }
        notes[write.id] = result
        if result == nil { deleted[write.id] = Deletion(id: write.id, number: extent.last) }
        answers[key] = result
        if !done.insert(tag).inserted { doubled = tag }
        order["device \(tag.device), note \(write.id)", default: []].append(tag.number)
        return .accepted(result)
    }
}

// MARK: - Pulling

/// The conversation of a pull.
enum SimulatedPull {
    enum Question {
        case begin
        case deletions(PullCursor, HistoryExtent)
        case changes(PullCursor, HistoryExtent, [Deletion<Int>])
        case everything(Int?)
    }

    enum Answer {
        case extent(HistoryExtent)
        case deletions(PullCursor, HistoryExtent, [Deletion<Int>])
        case changes(PullCursor, HistoryExtent, [Deletion<Int>], [Note], now: HistoryExtent)
        case everything([Note], Int?)
    }
}

extension SimulatedServer {
    func answer(_ question: SimulatedPull.Question) -> SimulatedPull.Answer {
        switch question {
        case .begin: kind == .values ? answer(.everything(nil)) : .extent(extent)
        case let .deletions(start, extent):
            .deletions(
                start, extent,
                deleted.values.filter { $0.number > max(start.deletions, self.extent.forgotten) }
                    .sorted { $0.number < $1.number })
        case let .changes(start, extent, deletions):
            .changes(
                start, extent, deletions,
                notes.values.filter { $0.version > start.changes }.sorted { $0.version < $1.version }, now: self.extent)
        case let .everything(number): .everything(notes.values.sorted { $0.id < $1.id }, number)
        }
    }

    /// Tells nobody any more of the deletions so far.
    mutating func forgetDeletions() {
        extent = HistoryExtent(id: extent.id, last: extent.last, forgotten: extent.last)
    }
}

/// Random numbers that are the same in each run with the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// Seeds beside each other must not begin beside each other in one sequence: their runs would soon be the same.
    init(seed: UInt64) { state = Self.mixed(seed &+ 0x1234_5678) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var value = value
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    mutating func uuid() -> UUID {
        var bytes: [UInt8] = []
        for _ in 0..<2 { bytes += withUnsafeBytes(of: next()) { Array($0) } }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
