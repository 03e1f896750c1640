import FeedbackTesting
import Foundation
import Testing

@testable import Persistence

// AddressSanitizer keeps memory that was freed for a while.
@Suite("Memory that is given back", .enabled(if: dlsym(nil, "__asan_init") == nil))
struct MemoryReleaseTests {
    @Test("The content and the shared regions of a file in memory go with it")
    func files() async {
        await #expect(processExitsWith: .success) {
            let bytes = [UInt8](repeating: 7, count: 500_000)
            let before = residentMegabytes()
            for _ in 0..<400 {
                let file = MemoryFile()
                for part in 0..<2 { bytes.withUnsafeBytes { file.write($0, at: part * bytes.count) } }
                if let region = file.region(0, size: bytes.count) { memset(region, 7, bytes.count) }
            }
            #expect(residentMegabytes() - before < 100)
        }
    }

    @Test("The content of a database in memory goes with it")
    func databases() async {
        await #expect(processExitsWith: .success) {
            let note = Note(id: "a", text: String(repeating: "b", count: 900_000))
            let before = residentMegabytes()
            for _ in 0..<200 { try SQLiteStore(Note.schema, in: SQLiteDatabase(.memory)).insert(note).get() }
            #expect(residentMegabytes() - before < 100)
        }
    }

    @Test("A statement keeps the large values of one row, until it is bound again or goes")
    func boundValues() async {
        await #expect(processExitsWith: .success) {
            let values = [SQLValue](repeating: .primitive(.data(Data(repeating: 7, count: 900_000))), count: 2)
            let database = try SQLiteDatabase(.memory)
            let before = residentMegabytes()
            try database.read { connection throws(StoreError) in
                let statement = try connection.prepare("SELECT ?, ?")
                for _ in 0..<300 { statement.bind(values) }
                #expect(residentMegabytes() - before < 100)
                for _ in 0..<300 { try connection.prepare("SELECT ?, ?").bind(values) }
            }
            #expect(residentMegabytes() - before < 100)
        }
    }

    @Test("Statements that find, select and delete by a large value keep it once at most")
    func repeatedValues() async {
        await #expect(processExitsWith: .success) {
            let notes = try SQLiteStore(Note.schema, in: SQLiteDatabase(.memory))
            let large = String(repeating: "a", count: 900_000)
            let before = residentMegabytes()
            for _ in 0..<150 {
                #expect(try notes.object(withId: large).get() == nil)
                #expect(try notes.filter(where: \.text == large).result().get() == [])
                #expect(try notes.delete(ids: [large]).get() == 0)
            }
            #expect(residentMegabytes() - before < 100)
        }
    }

    @Test("A statement keeps its patterns until its run has ended")
    func boundPatterns() throws {
        weak var kept: TextPattern?
        try SQLiteDatabase(.memory).read { connection throws(StoreError) in
            let statement = try connection.prepare("SELECT ?")
            func bind() throws(StoreError) {
                let pattern = try TextPattern(TextMatch(kind: .contains, pattern: "a", options: []))
                statement.bind([.pattern(pattern)])
                kept = pattern
            }
            try bind()
            #expect(kept != nil)
            statement.clear()
            #expect(kept == nil)
        }
    }

    @Test("A copy of a database leaves no file open")
    func copies() async {
        await #expect(processExitsWith: .success) {
            func openFiles() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count }
            let folder = try TemporaryFolder()
            _ = try SQLiteDatabase(.file(folder.path("other.sqlite")))
            let before = try openFiles()
            do {
                let database = try SQLiteDatabase(.file(folder.path("films.sqlite")))
                try database.copy(to: folder.path("first.sqlite"))
                let during = try openFiles()
                for number in 0..<20 { try database.copy(to: folder.path("\(number).sqlite")) }
                #expect(try openFiles() == during)
            }
            #expect(try openFiles() == before)
        }
    }

    private struct Clip: Identifiable, Sendable {
        var id: Int
        var frames: Data
        var rating: Rating

        static let schema = Schema<Clip>(
            "clips", Clip.init, Column("id", \.id), Column("frames", \.frames), Column("rating", \.rating))
    }

    @Test("Of a row that cannot be read, the values that were read before are not kept")
    func unreadableRows() async {
        await #expect(processExitsWith: .success) {
            let clips = try SQLiteStore(Clip.schema, in: SQLiteDatabase(.memory))
            try clips.insert(Clip(id: 1, frames: Data(repeating: 7, count: 900_000), rating: .G)).get()
            try clips.database.execute("UPDATE clips SET rating = 'XXX'")
            let before = residentMegabytes()
            for _ in 0..<200 {
                #expect(throws: StoreError.self) { try clips.all().result().get() }
                #expect(throws: StoreError.self) { try clips.object(withId: 1).get() }
            }
            #expect(residentMegabytes() - before < 100)
        }
    }
}
