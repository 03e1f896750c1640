import ChildProcesses
import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("Durability")
struct DurabilityTests {
    /// The number of times that the writer is killed; `PERSISTENCE_KILLS` changes it.
    static let kills = ProcessInfo.processInfo.environment["PERSISTENCE_KILLS"].flatMap(Int.init) ?? 30

    @Test(
        "Every acknowledged write is there after the writer is killed at a random moment, many times", .onOwnThread)
    func killed() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("entries.sqlite")
        var random = SeededNumbers(seed: 3)
        var acknowledged = 0
        for _ in 0..<Self.kills {
            acknowledged = try kill(ChildProcess(Self.writer, [path, "entries"]), &random) ?? acknowledged
            try check(path, "entries", acknowledged)
        }
        #expect(acknowledged > Self.kills)
    }

    @Test(
        "Every acknowledged write of two processes is there after one of them is killed again and again", .onOwnThread)
    func killedBesideAnother() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("entries.sqlite")
        let notes = folder.path("notes")
        try #require(FileManager.default.createFile(atPath: notes, contents: nil))
        var random = SeededNumbers(seed: 4)
        let other = try ChildProcess(Self.writer, [path, "others"], output: .file(notes))
        var acknowledged = 0
        for _ in 0..<Self.kills / 3 {
            acknowledged = try kill(ChildProcess(Self.writer, [path, "entries"]), &random) ?? acknowledged
        }
        other.kill(SIGKILL)
        #expect(other.wait() == .signal(SIGKILL), "the other writer ended by itself")
        try check(path, "entries", acknowledged)
        let others = try #require(lastNumber(in: Data(contentsOf: URL(filePath: notes))))
        try check(path, "others", others)
        #expect(acknowledged > Self.kills / 3)
    }

    /// Kills a writer at a random moment; returns the number of the last write that it has acknowledged.
    private func kill(_ writer: ChildProcess, _ random: inout SeededNumbers) throws -> Int? {
        // The moment depends on the writer's progress and not on time: it is after a random number of further answers.
        var bytes = Data()
        let enough = Int.random(in: 0..<300, using: &random)
        repeat {
            let more = writer.output.more()
            if more.isEmpty { break }
            bytes += more
        } while bytes.count < enough
        writer.kill(SIGKILL)
        bytes += writer.output.rest()
        #expect(writer.wait() == .signal(SIGKILL), "the writer ended by itself")
        return lastNumber(in: bytes)
    }

    private func lastNumber(in output: Data) -> Int? {
        // A line that the kill cut off counts as no answer.
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.dropLast().last.flatMap { Int($0) }
    }

    private func check(_ path: String, _ table: String, _ acknowledged: Int) throws {
        let database = try SQLiteDatabase(.file(path))
        let entries = try SQLiteStore(Entry.schema(table), in: database)
        let found = try entries.all().result().get()
        #expect(found.count >= acknowledged, "\(acknowledged) were acknowledged in \(table), \(found.count) are there")
        #expect(found.map(\.id) == Array(0..<found.count))
        if let first = found.first { #expect(first.text == "\(found.count)") }
        #expect(try database.checkIntegrity() == [])
    }

    private static let writer = builtProgram("PersistenceWriter")
}

private struct Entry: Identifiable, Hashable, Sendable {
    var id: Int
    var text: String

    static func schema(_ table: String) -> Schema<Entry> {
        Schema(table, Entry.init, Column("id", \.id), Column("text", \.text, isIndexed: true))
    }
}

/// A folder that is removed with its last reference.
final class TemporaryFolder: Sendable {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("feedback-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}
