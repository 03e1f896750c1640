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
            let writer = try ChildProcess(Self.writer, [path])
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
            // A line that the kill cut off counts as no answer.
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            if let last = lines.dropLast().last.flatMap({ Int($0) }) { acknowledged = last }

            let database = try SQLiteDatabase(.file(path))
            let entries = try SQLiteStore(Entry.schema, in: database)
            let found = try entries.all().result().get()
            #expect(found.count >= acknowledged, "\(acknowledged) were acknowledged, \(found.count) are there")
            #expect(found.map(\.id) == Array(0..<found.count))
            if let first = found.first { #expect(first.text == "\(found.count)") }
            #expect(try database.checkIntegrity() == [])
        }
        #expect(acknowledged > Self.kills)
    }

    private static let writer = builtProgram("PersistenceWriter")
}

private struct Entry: Identifiable, Hashable, Sendable {
    var id: Int
    var text: String

    static let schema = Schema<Entry>(
        "entries", Entry.init, Column("id", \.id), Column("text", \.text, isIndexed: true))
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
