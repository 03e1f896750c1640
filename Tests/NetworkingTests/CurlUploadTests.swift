#if canImport(CCurl)
import FeedbackTesting
import Foundation
import Testing

@testable import Networking

/// A request's body, as libcurl asks for it: a few bytes at a time, and again from the beginning.
@Suite("Bodies on their way")
struct CurlUploadTests {
    private func withFile(_ content: String, _ body: (URL) throws -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID().uuidString)")
        try Data(content.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try body(file)
    }

    /// Reads once; `nil` if there is nothing yet.
    private func read(_ upload: CurlUpload, _ size: Int) throws(CoreError) -> String? {
        var buffer = [UInt8](repeating: 0, count: size)
        var result: Result<Int?, CoreError> = .success(nil)
        buffer.withUnsafeMutableBytes { bytes in
            do throws(CoreError) { result = .success(try upload.read(into: bytes)) } catch { result = .failure(error) }
        }
        return try result.get().map { String(decoding: buffer.prefix($0), as: UTF8.self) }
    }

    /// Reads all that there is now, in pieces of a size.
    private func readAll(_ upload: CurlUpload, _ size: Int) throws(CoreError) -> String {
        var text = ""
        while let piece = try read(upload, size), !piece.isEmpty { text += piece }
        return text
    }

    @Test(
        "Pieces in memory and files follow each other, with any buffer, and again after a rewind",
        arguments: [1, 2, 3, 4, 100])
    func pieces(size: Int) throws {
        try withFile("defgh") { file in
            let body = RequestBody(
                content: .pieces([
                    .data(Data("abc".utf8)), .data(Data()), .file(file), .data(Data("i".utf8)), .file(file),
                ]),
                contentType: nil)
            let upload = try CurlUpload(body) {}
            #expect(upload.length == 14 && upload.isRepeatable)
            for count in 0...16 {
                for _ in 0..<count { _ = try read(upload, size) }
                #expect(upload.rewind())
                #expect(try readAll(upload, size) == "abcdefghidefgh")
                #expect(try read(upload, size) == "" && !upload.isWaiting)
                #expect(upload.rewind())
            }
        }
    }

    @Test("A file that has become shorter or longer fails", arguments: ["abc", "abcdef"])
    func changedFile(content: String) throws {
        try withFile("abcd") { file in
            let upload = try CurlUpload(.file(file)) {}
            try Data(content.utf8).write(to: file)
            let reason = "Its body has another length than the 4 bytes that were declared."
            for size in [1, 100] {
                #expect(throws: CoreError.request(RequestFailure(reason))) { try readAll(upload, size) }
                #expect(upload.rewind())
            }
        }
    }

    @Test("A file that is gone fails, when its length is asked for or when it is read")
    func noFile() throws {
        try withFile("abcd") { file in
            let upload = try CurlUpload(.file(file)) {}
            try FileManager.default.removeItem(at: file)
            #expect(throws: CoreError.self) { try read(upload, 10) }
            #expect(throws: CoreError.self) { try CurlUpload(.file(file)) {} }
        }
    }

    /// Sends pieces in a stream, each when the one before was read, and returns what was read.
    private func streamed(_ pieces: [String], length: Int64?, size: Int) async throws -> String {
        let resumed = Box(0)
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        let upload = try CurlUpload(.stream(length: length) { stream }) { resumed.update { $0 += 1 } }
        #expect(!upload.isRepeatable && !upload.rewind() && upload.length == length)
        var (text, waits) = ("", 0)
        /// Reads until there is nothing, or the end.
        func readOn() throws -> Bool {
            while let piece = try read(upload, size) {
                if piece.isEmpty { return true }
                text += piece
            }
            #expect(upload.isWaiting)
            waits += 1
            return false
        }
        #expect(try !readOn())
        for piece in pieces {
            continuation.yield(Data(piece.utf8))
            await eventually { resumed.value == waits }
            #expect(try !readOn())
        }
        continuation.finish()
        await eventually { resumed.value == waits }
        #expect(try readOn() && !upload.isWaiting)
        #expect(resumed.value == waits)
        return text
    }

    @Test(
        "A stream is read as its pieces come, and says each time that there is more", arguments: [1, 2, 100], [nil, 6])
    func stream(size: Int, length: Int64?) async throws {
        #expect(try await streamed(["abc", "d", "ef"], length: length, size: size) == "abcdef")
    }

    @Test("A stream of another length than was declared fails", arguments: [0, 5, 7])
    func wrongLength(length: Int64) async {
        await #expect(throws: CoreError.self) { try await streamed(["abc", "def"], length: length, size: 2) }
    }

    @Test("Empty pieces of a stream are passed over, and a stream without any is an empty body")
    func emptyPieces() async throws {
        let pieces: [[String]] = [["", "", "ab", ""], [], [""]]
        for pieces in pieces {
            let stream = AsyncStream { continuation in
                for piece in pieces { continuation.yield(Data(piece.utf8)) }
                continuation.finish()
            }
            let upload = try CurlUpload(.stream { stream }) {}
            var text = ""
            await eventually {
                while let piece = try? read(upload, 10) {
                    if piece.isEmpty { return true }
                    text += piece
                }
                return false
            }
            #expect(text == pieces.joined())
        }
    }

    @Test("A stream that is cancelled is let go of, and has ended")
    func cancelled() async throws {
        let isTerminated = Box(false)
        let body = RequestBody.stream {
            AsyncStream<Data> { continuation in
                continuation.onTermination = { _ in isTerminated.value = true }
                for _ in 0..<3 { continuation.yield(Data("abc".utf8)) }
            }
        }
        let upload = try CurlUpload(body) {}
        await eventually { (try? read(upload, 1)) ?? nil == "a" }
        upload.cancel()
        await eventually("the stream's task has ended") { isTerminated.value }
        #expect(try readAll(upload, 10) == "bc")
        #expect(try read(upload, 10) == "")
    }
}
#endif
