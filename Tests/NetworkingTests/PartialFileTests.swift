#if os(Linux)
import Foundation
import Testing

@testable import Networking

@Suite("Files that are being downloaded")
struct PartialFileTests {
    private static func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "partial-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private static func names(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path())
    }

    @Test("No part stays if the file cannot be closed")
    func closing() async {
        // In a process of its own, where no other thread can get the number of the file that is closed.
        await #expect(processExitsWith: .success) {
            let folder = try Self.folder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let url = folder.appending(path: "file")
            let file = try PartialFile(for: url, limit: 9, from: url)
            let part = try #require(try Self.names(in: folder).first)
            let number = try #require(
                (3..<100).first { number in
                    let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
                    return link?.hasSuffix(part) == true
                })
            #expect(close(Int32(number)) == 0)
            #expect(throws: CoreError.self) { try file.finish() }
            #expect(try Self.names(in: folder).isEmpty)
        }
    }

    @Test("The reason for which a file cannot be moved to its place is told")
    func moving() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "file")
        try FileManager.default.createDirectory(at: url.appending(path: "in it"), withIntermediateDirectories: true)
        let file = try PartialFile(for: url, limit: 9, from: url)
        do throws(CoreError) {
            try file.finish()
            recordUnexpected(nil)
        } catch {
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .cannotWriteFile && failure.detail == String(cString: strerror(EISDIR)))
        }
        #expect(try Self.names(in: folder) == ["file"])
    }
}
#endif
