import ChildProcesses
import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import Networking
import Persistence
import QuakesBackend
import Testing

@testable import Quakes

@Suite(.onOwnThread)
struct QuakesDurabilityTests {
    @Test("After kill -9 in mid-refresh the database has the quakes of exactly the revision whose version it keeps")
    func killed() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "quakes-\(UUID().uuidString).sqlite")
            .path(percentEncoded: false)
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        var numbers = SeededGenerator(seed: 7)
        var model = Model()
        for _ in 0..<12 {
            try kill(path, from: model.revision ?? 0, after: Int.random(in: 1..<4, using: &numbers))
            let database = try QuakeDatabase(.file(path))
            let stored = QuakeCatalog(try #require(database.fetchQuakes().single()).get())
            let version = try #require(database.version(of: .month).single()).get()
            try model.advance(to: version.flatMap { $0.tag }.flatMap { Int($0) })
            #expect(stored == QuakeCatalog(model.quakes.values))
            #expect(try SQLiteDatabase(.file(path)).checkIntegrity() == [])
        }
        #expect((model.revision ?? 0) > 3)
    }

    /// Starts a process that refreshes, and kills it when it has begun `count` refreshes.
    private func kill(_ path: String, from revision: Int, after count: Int) throws {
        let writer = try ChildProcess(Self.writer, [path, "\(revision)"])
        var lines = 0
        while lines < count, writer.output.line() != nil { lines += 1 }
        writer.kill(SIGKILL)
        #expect(writer.wait() == .signal(SIGKILL), "the writer ended by itself")
    }

    /// The quakes after each revision, worked out without a database.
    private struct Model {
        var revision: Int?
        var quakes: [Quake.ID: Quake] = [:]

        mutating func advance(to end: Int?) throws {
            guard let end else { return }
            for revision in (revision.map { $0 + 1 } ?? 0)..<(end + 1) {
                let generator = QuakeFeedGenerator(count: 600, end: Date(timeIntervalSince1970: 1_795_262_400))
                let feed: QuakeFeed = try Parser.parse(generator.feed(revision: revision)).get()
                let changes = QuakeChanges(from: feed.quakes, stored: { [quakes] in quakes[$0] })
                for quake in changes.deleted { quakes[quake.id] = nil }
                for quake in changes.inserted + changes.updated { quakes[quake.id] = quake }
            }
            revision = end
        }
    }

    private static let writer = builtProgram("QuakesWriter")
}
