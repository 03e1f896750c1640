import FeedbackTesting
import Foundation
import Testing

@testable import Networking

/// The bytes of an answer between its transport and its reader.
@Suite("Streamed bodies")
struct StreamedBodyTests {
    private let resumed = Box(0)

    private var resume: @Sendable () -> Void {
        { [resumed] in resumed.update { $0 += 1 } }
    }

    private func offer(_ bytes: [UInt8], to body: StreamedBody) -> Bool {
        bytes.withUnsafeBytes { body.offer($0, resume: resume) }
    }

    @Test("Bytes are taken while fewer than the capacity wait; when there is room again, the transport is told once")
    func room() async throws {
        let body = StreamedBody()
        #expect(!body.hasBegun)
        #expect(offer([UInt8](repeating: 1, count: StreamedBody.capacity - 1), to: body))
        #expect(offer([2], to: body))
        #expect(!offer([4], to: body))
        #expect(resumed.value == 0 && body.hasBegun)
        #expect(try await body.next()?.suffix(2) == Data([1, 2]))
        #expect(resumed.value == 1)
        #expect(offer([4], to: body))
        #expect(try await body.next() == Data([4]))
        #expect(resumed.value == 1)
    }

    @Test("A transport that cannot keep bytes hands on all, and is told to pause from the capacity on")
    func pause() async throws {
        let body = StreamedBody()
        #expect(!body.append(Data(), resume: resume))
        #expect(!body.hasBegun)
        #expect(!body.append(Data(count: StreamedBody.capacity - 1), resume: resume))
        #expect(body.hasBegun)
        #expect(body.append(Data(count: 1), resume: resume))
        #expect(body.append(Data(count: 1), resume: resume))
        #expect(resumed.value == 0)
        #expect(try await body.next()?.count == StreamedBody.capacity + 1)
        #expect(resumed.value == 1)
        #expect(!body.append(Data([7]), resume: resume))
        #expect(try await body.next() == Data([7]))
        #expect(resumed.value == 1)
    }

    @Test("A transfer is paused once, however much comes while it is, and goes on when all was read")
    func pausedOnce() async throws {
        let body = StreamedBody()
        let changes = Box<[Bool]>([])
        let pause = TransferPause(of: body) { isPaused in changes.update { $0.append(isPaused) } }
        for _ in 0..<3 where body.append(Data(count: StreamedBody.capacity), resume: pause.update) { pause.update() }
        await eventually { changes.value == [true] }
        #expect(try await body.next()?.count == 3 * StreamedBody.capacity)
        await eventually { changes.value == [true, false] }
    }

    @Test("However the threads meet on which a body fills up and is read, its transfer goes on when all was read")
    func pausedAndRead() async throws {
        for _ in 0..<50 {
            let body = StreamedBody()
            let changes = Box<[Bool]>([])
            let pause = TransferPause(of: body) { isPaused in changes.update { $0.append(isPaused) } }
            let reading = Task {
                var count = 0
                while count < 10 * StreamedBody.capacity { count += try await body.next()?.count ?? 0 }
            }
            for _ in 0..<10 where body.append(Data(count: StreamedBody.capacity), resume: pause.update) {
                pause.update()
            }
            try await reading.value
            await eventually { changes.value.last != true }
            #expect(changes.value == changes.value.indices.map { $0.isMultiple(of: 2) })
        }
    }

    @Test("A reader who waits gets the bytes as they come, and then the end")
    func waiting() async throws {
        let body = StreamedBody()
        let read = Box<[Data?]>([])
        let reading = Task {
            for _ in 0..<3 {
                let piece = try? await body.next()
                read.update { $0.append(piece) }
            }
        }
        // It may not wait yet.
        #expect(offer([1], to: body))
        await eventually { read.value == [Data([1])] }
        #expect(!body.append(Data(count: StreamedBody.capacity - 1), resume: resume))
        await eventually { read.value.count == 2 }
        body.finish(nil)
        await reading.value
        #expect(read.value == [Data([1]), Data(count: StreamedBody.capacity - 1), nil])
        #expect(resumed.value == 0)
    }

    @Test("Only the first end counts, an error is thrown once, and no bytes come after it")
    func end() async throws {
        let body = StreamedBody()
        #expect(offer([1], to: body))
        body.finish(.network(NetworkFailure(.timedOut)))
        body.finish(nil)
        #expect(offer([UInt8](repeating: 2, count: StreamedBody.capacity), to: body))
        #expect(offer([2], to: body))
        #expect(!body.append(Data(count: StreamedBody.capacity), resume: resume))
        #expect(try await body.next() == Data([1]))
        let error = await failure { () async throws(CoreError) in try await body.next() }
        #expect(error == .network(NetworkFailure(.timedOut)))
        #expect(try await body.next() == nil)
        #expect(resumed.value == 0)
    }

    @Test("After a cancellation, the bytes that wait are dropped, and whoever paused is not told to go on")
    func cancelled() async throws {
        let body = StreamedBody()
        #expect(body.append(Data(count: StreamedBody.capacity), resume: resume))
        body.cancel()
        let error = await failure { () async throws(CoreError) in try await body.next() }
        #expect(error == .cancelled)
        #expect(try await body.next() == nil)
        #expect(resumed.value == 0)
    }

    private func answer(_ status: Int, _ type: String? = nil) throws -> TransportResponse {
        var headers = HTTPHeaders()
        headers["Content-Type"] = type
        let url = try #require(URL(string: "http://127.0.0.1/"))
        return try TransportResponse(status: status, headers: headers, url: url)
    }

    @Test(
        "A whole body is handed on with its head, if the reader wants an answer of this type",
        arguments: [
            ("text/event-stream", nil), ("Text/Event-Stream ; charset=utf-8", nil),
            ("text/html; a=b", "The server sent text/html, not text/event-stream."),
            (nil, "The server sent a body without a type, not text/event-stream."),
        ] as [(String?, String?)])
    func types(_ type: String?, _ reason: String?) async throws {
        let body = StreamedBody(contentType: "text/event-stream")
        body.deliver(Data([1]))
        #expect(!body.hasBegun)
        body.finish(try answer(200, type))
        #expect(body.status == 200)
        guard let reason else {
            #expect(try await body.next() == Data([1]))
            #expect(try await body.next() == nil)
            return
        }
        let error = await failure { () async throws(CoreError) in try await body.next() }
        #expect(error == .parsing(ParsingFailure(reason: reason)))
        #expect(try await body.next() == nil)
    }

    @Test("An answer that has no body needs no type", arguments: [204, 205])
    func noBody(status: Int) async throws {
        let body = StreamedBody(contentType: "text/event-stream")
        body.finish(try answer(status))
        #expect(try await body.next() == nil)
        #expect(body.status == status)
    }

    @Test("The reader looks at the head of each success, before the first byte and not after it")
    func heads() {
        let seen = Box<[Int]>([])
        let body = StreamedBody { status, field in
            seen.update { $0.append(status) }
            return field("X-Bad").map { .parsing(ParsingFailure(reason: $0)) }
        }
        #expect(body.failure(status: 200) { _ in nil } == nil)
        #expect(body.failure(status: 299) { $0 == "X-Bad" ? "bad" : nil } == .parsing(ParsingFailure(reason: "bad")))
        #expect(body.failure(status: 199) { _ in "bad" } == nil)
        #expect(body.failure(status: 300) { _ in "bad" } == nil)
        _ = body.append(Data([1]))
        #expect(body.failure(status: 200) { _ in "bad" } == nil)
        #expect(seen.value == [200, 299])
    }
}

@Suite("Lines of a stream")
struct LineSplitterTests {
    private func lines(of pieces: [String], limit: Int) throws -> (lines: [String], rest: String?) {
        var splitter = LineSplitter(limit: limit)
        var lines: [String] = []
        for piece in pieces {
            splitter.append(Data(piece.utf8))
            while let line = try splitter.next() { lines.append(line) }
        }
        return (lines, splitter.takeRest())
    }

    @Test("A line may be as long as the limit, and no longer, wherever its pieces end")
    func limit() throws {
        for pieces in [["1234\n", "123"], ["12", "34", "\n", "1", "23"], ["1234\n123"]] {
            let (lines, rest) = try lines(of: pieces, limit: 4)
            #expect(lines == ["1234"] && rest == "123")
            #expect(throws: CoreError.self) { try self.lines(of: pieces, limit: 3) }
        }
        #expect(throws: CoreError.self) { try lines(of: ["\n12345"], limit: 4) }
        #expect(try lines(of: ["\n\r\n\r"], limit: -1).lines == ["", "", ""])
        #expect(throws: CoreError.self) { try lines(of: ["1"], limit: -1) }
    }

    @Test("A line that ends with CR is there at once; the LF that follows in another piece ends no line")
    func carriageReturns() throws {
        #expect(try lines(of: ["a\r"], limit: 9).lines == ["a"])
        for pieces in [["a\r", "\nb\n"], ["a\r", "", "\n", "b\n"], ["a\r\nb", "\n"], ["a\rb\r", "\n"]] {
            let (lines, rest) = try lines(of: pieces, limit: 9)
            #expect(lines == ["a", "b"] && rest == nil)
        }
        #expect(try lines(of: ["a\r", "\r", "\n\n"], limit: 9).lines == ["a", "", ""])
        #expect(try lines(of: ["a\n\rb\r", "c"], limit: 9) == (["a", "", "b"], "c"))
    }

    @Test("Without a limit of the caller's, a line may have 1 MiB")
    func standardLimit() async throws {
        let length = Box(0)
        let stream = ByteStream { body throws(CoreError) in
            body.deliver(Data(repeating: 0x61, count: length.value))
            guard let url = URL(string: "http://127.0.0.1/") else { throw .cancelled }
            return try TransportResponse(status: 200, url: url)
        }
        length.value = 1 << 20
        var iterator = stream.lines.makeAsyncIterator()
        #expect(try await iterator.next()?.utf8.count == 1 << 20)
        #expect(try await iterator.next() == nil)
        length.value += 1
        iterator = stream.lines.makeAsyncIterator()
        let error = await failure { () async throws(CoreError) in try await iterator.next() }
        let detail = "A line is longer."
        #expect(error == .network(NetworkFailure(.bodyTooLarge(limit: 1 << 20), detail: detail)))
        #expect(try await iterator.next() == nil)
    }
}
