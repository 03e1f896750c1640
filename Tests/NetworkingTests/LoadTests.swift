import FeedbackTesting
import Feedback
import Foundation
import LocalBackend
import Networking
import Testing

@Suite("Load", .serialized)
struct LoadTests {
    @Test("1,000 requests at once all get their own answers")
    func thousand() async throws {
        try await withBackend { backend, session in
            backend.get("/v1/echo/:number") { request in .json([try request.parameter("number", as: Int.self)]) }
            try await withThrowingTaskGroup(of: (Int, [Int]).self) { group in
                for number in 0..<1_000 {
                    group.addTask {
                        let echo = BackendResource<Void, [Int], KongAuth>.get("/v1/echo/\(number)")
                        return (number, try await session.access(echo))
                    }
                }
                var count = 0
                for try await (number, answer) in group {
                    #expect(answer == [number])
                    count += 1
                }
                #expect(count == 1_000)
            }
        }
    }

    @Test("Of 1,000 requests at once, half are cancelled, and the others get their own answers")
    func halfCancelled() async throws {
        try await withBackend { backend, session in
            backend.get("/v1/echo/:number") { request in .json([try request.parameter("number", as: Int.self)]) }
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<1_000 {
                    group.addTask {
                        let isCancelled = number % 2 == 1
                        let request = Task { () async throws(CoreError) -> [Int] in
                            try await session.access(
                                BackendResource<Void, [Int], KongAuth>.get("/v1/echo/\(number)"))
                        }
                        if isCancelled { request.cancel() }
                        do {
                            #expect(try await request.value == [number])
                            return true
                        } catch {
                            #expect(isCancelled && error as? CoreError == .cancelled, "\(number): \(error)")
                            return false
                        }
                    }
                }
                var answered = 0
                for try await isAnswered in group where isAnswered { answered += 1 }
                #expect(answered >= 500)
            }
        }
    }

    @Test("A body of 100 MB is downloaded to a file while memory stays bounded")
    func download() async {
        // In a process of its own: other tests use memory meanwhile.
        await #expect(processExitsWith: .success) { try await LoadTests.downloadMuch() }
    }

    private static func downloadMuch() async throws {
        let size = 100 << 20
        try await withBackend { backend, session in
            let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: file) }
            backend.get("/big") { _ in
                .stream(length: size) { body in
                    let piece = Data(repeating: 7, count: 1 << 16)
                    for _ in 0..<(size >> 16) { try await body.write(piece) }
                }
            }
            let big = BackendResource<Void, Void, KongAuth>(path: .api(.core, "/big"), method: .GET)
            let (before, peak, last) = (residentBytes(), Box(0), Box(TransferProgress()))
            try await session.download(big, to: file) { progress in
                last.value = progress
                if progress.bytesReceived % (1 << 20) < 1 << 14 { peak.update { $0 = max($0, residentBytes()) } }
            }
            let length = try FileManager.default.attributesOfItem(atPath: file.path())[.size] as? Int
            #expect(length == size)
            #expect(last.value.bytesReceived == Int64(size))
            #expect(last.value.bytesToReceive == Int64(size))
            // The address sanitizer keeps what was freed.
            if dlsym(nil, "__asan_init") == nil { #expect(peak.value - before < 30 << 20) }
        }
    }

    @Test("A body without end that was asked for in memory ends at the limit, on the wire too")
    func limit() async throws {
        try await withBackend(configure: { $0.maximumBodySize = 1 << 20 }) { backend, session in
            let wasCutOff = Box(false)
            backend.get("/big") { _ in
                .stream { body in
                    do {
                        let piece = Data(repeating: 7, count: 1 << 16)
                        while true { try await body.write(piece) }
                    } catch {
                        wasCutOff.value = true
                        throw error
                    }
                }
            }
            let error = await failure { () async throws(CoreError) in
                try await session.access(BackendResource<Void, [Int], NoAuth>.get("/big"))
            }
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .bodyTooLarge(limit: 1 << 20))
            await eventually { wasCutOff.value }
        }
    }

    @Test("An upload tells how far it has come", arguments: TransportKind.allCases)
    func upload(kind: TransportKind) async throws {
        try await withBackend(transport: kind.make()) { backend, session in
            backend.post("/upload") { request in .json(request.body.count) }
            let upload = BackendResource<Data, Int, NoAuth>(
                path: .api(.core, "/upload"), method: .POST, request: { data, _ in .success(data) })
            let progress = Box<[TransferProgress]>([])
            let count = try await session.access(
                upload, with: Data(count: 5 << 20), progress: { step in progress.update { $0.append(step) } })
            #expect(count == 5 << 20)
            let sent = progress.value.map(\.bytesSent)
            #expect(sent == sent.sorted() && sent.contains(5 << 20) && Set(sent).count > 2)
            #expect(progress.value.allSatisfy { $0.bytesToSend == 5 << 20 })
        }
    }

    @Test("Of the error in place of a download, 1 MiB is kept, and no more awaited", arguments: TransportKind.allCases)
    func longError(kind: TransportKind) async throws {
        let server = try RawServer { _, send in
            send(Array("HTTP/1.1 404 Not Found\r\nContent-Length: 100000000\r\n\r\n".utf8))
            send([UInt8](repeating: 7, count: 3 << 20))
            return .hold
        }
        defer { withExtendedLifetime(server) {} }
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let request = TransportRequest(url: server.url, timeout: .seconds(600), destination: .file(file))
        let response = try await kind.make().send(request)
        #expect(response.status == 404 && response.body == Data(repeating: 7, count: 1 << 20))
        #expect(!FileManager.default.fileExists(atPath: file.path()))
    }

    @Test("A download tells how far it has come", arguments: TransportKind.allCases)
    func progress(kind: TransportKind) async throws {
        try await withBackend(transport: kind.make()) { backend, session in
            backend.get("/data") { _ in .data(Data(count: 3 << 20), contentType: "image/png") }
            let data = BackendResource<Void, Void, NoAuth>(path: .api(.core, "/data"), method: .GET)
            let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: file) }
            let steps = Box<[TransferProgress]>([])
            try await session.download(data, to: file) { step in steps.update { $0.append(step) } }
            #expect(try Data(contentsOf: file).count == 3 << 20)
            let received = steps.value.map(\.bytesReceived)
            #expect(received == received.sorted() && received.last == 3 << 20 && Set(received).count > 2)
            #expect(steps.value.allSatisfy { $0.bytesToReceive == 3 << 20 && $0.bytesSent == 0 && $0.bytesToSend == 0 })
        }
    }

    @Test("A failed download leaves the file that was there, and explains itself")
    func failedDownload() async throws {
        try await withBackend { backend, session in
            let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: file) }
            try Data("old".utf8).write(to: file)
            let text = BackendResource<Void, Void, NoAuth>(path: .api(.core, "/text"), method: .GET)
            backend.get("/text") { _ in .text("sorry", status: 410) }
            let error = await failure { () async throws(CoreError) in try await session.download(text, to: file) }
            guard case .status(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.code == 410 && failure.body == Data("sorry".utf8))
            #expect(try Data(contentsOf: file) == Data("old".utf8))

            backend.get("/text") { _ in .text("new") }
            try await session.download(text, to: file)
            #expect(try Data(contentsOf: file) == Data("new".utf8))
        }
    }

    @Test("A folder that takes no file is told by its name")
    func noFolder() async throws {
        try await withBackend { backend, session in
            backend.get("/text") { _ in .text("new") }
            let text = BackendResource<Void, Void, NoAuth>(path: .api(.core, "/text"), method: .GET)
            let error = await failure { () async throws(CoreError) in
                try await session.download(text, to: URL(filePath: "/no/such folder/file"))
            }
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .cannotWriteFile)
            #expect("\(failure)".hasPrefix("The file /no/such folder/file could not be written."))
            #expect("\(failure)".contains("/no/such folder/ takes no file"))
        }
    }
}

/// The memory that the process holds now; 0 if the system has no file that says so.
func residentBytes() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * Int(getpagesize()) } ?? 0
}
