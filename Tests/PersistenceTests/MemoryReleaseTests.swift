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

    @Test("A statement keeps the large values of one row, until it is bound again or goes")
    func boundValues() async {
        await #expect(processExitsWith: .success) {
            let values = [SQLValue](repeating: .primitive(.data(Data(repeating: 7, count: 900_000))), count: 2)
            let database = try SQLiteDatabase(.memory)
            let before = residentMegabytes()
            try database.read { connection throws(StoreError) in
                let statement = try connection.prepare("SELECT ?, ?")
                for _ in 0..<300 { statement.bind(values) }
                for _ in 0..<300 { try connection.prepare("SELECT ?, ?").bind(values) }
            }
            #expect(residentMegabytes() - before < 100)
        }
    }

    @Test("A copy of a database leaves no file open")
    func copies() async {
        await #expect(processExitsWith: .success) {
            func openFiles() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count }
            let folder = try TemporaryFolder()
            let database = try SQLiteDatabase(.file(folder.path("films.sqlite")))
            try database.copy(to: folder.path("first.sqlite"))
            let before = try openFiles()
            for number in 0..<20 { try database.copy(to: folder.path("\(number).sqlite")) }
            #expect(try openFiles() == before)
        }
    }
}
