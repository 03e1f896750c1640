import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Testing

@Suite("Uploads")
struct UploadTests {
    /// A server that takes a body and answers with its size.
    private static func makeServer() throws -> RawServer {
        try RawServer { request, send in
            let text = "\(request.body.count)"
            send(Array("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8))
            return .keep
        }
    }

    private static func withFile<Result>(_ data: Data, _ body: (URL) async throws -> Result) async throws -> Result {
        let url = FileManager.default.temporaryDirectory.appending(path: "upload test \(UUID().uuidString)")
        try data.write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        return try await body(url)
    }

    @Test("A file is sent as it is, with its length and type", arguments: TransportKind.allCases)
    func file(kind: TransportKind) async throws {
        let data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let server = try UploadTests.makeServer()
        defer { withExtendedLifetime(server) {} }
        try await UploadTests.withFile(data) { url in
            let request = TransportRequest(
                method: .POST, url: server.url, body: .file(url, contentType: "image/jpeg"))
            let response = try await kind.make().send(request)
            #expect(String(decoding: response.body, as: UTF8.self) == "300000")
        }
        let sent = try #require(server.requests.last)
        #expect(sent.body == data)
        #expect(sent.head.contains("Content-Length: 300000\r\n"))
        #expect(sent.head.contains("Content-Type: image/jpeg\r\n"))
    }

    @Test("A form of fields is encoded as a browser does it")
    func formFields() {
        let body = RequestBody.form([
            URLQueryItem(name: "grant_type", value: "refresh_token"), URLQueryItem(name: "scope", value: "read write"),
            URLQueryItem(name: "a&b=c", value: "1+1=2 & 100%"), URLQueryItem(name: "ü", value: "*-._~\n\0"),
            URLQueryItem(name: "empty", value: ""), URLQueryItem(name: "alone", value: nil),
        ])
        #expect(body.contentType == "application/x-www-form-urlencoded")
        #expect(
            body.data.map { String(decoding: $0, as: UTF8.self) }
                == "grant_type=refresh_token&scope=read+write&a%26b%3Dc=1%2B1%3D2+%26+100%25&%C3%BC=*-._%7E%0A%00&empty=&alone"
        )
        #expect(RequestBody.form([]).data == Data())
    }

    @Test("A session uploads a form of fields with its content type")
    func uploadedForm() async throws {
        let server = try UploadTests.makeServer()
        defer { withExtendedLifetime(server) {} }
        let session = BackendSession(environment: BackendEnvironment(name: "test", services: [.core: server.url]))
        let resource = BackendResource<Void, Int, NoAuth>(path: .api(.core, "/token"), method: .POST)
        let size = try await session.upload(.form([URLQueryItem(name: "code", value: "a b")]), to: resource)
        #expect(size == 8)
        let sent = try #require(server.requests.last)
        #expect(sent.head.contains("Content-Type: application/x-www-form-urlencoded\r\n"))
        #expect(String(decoding: sent.body, as: UTF8.self) == "code=a+b")
    }

    @Test("A body has its own content type, whatever the session's is; that of the resource takes precedence")
    func typeOfBody() async throws {
        let server = try UploadTests.makeServer()
        defer { withExtendedLifetime(server) {} }
        let session = BackendSession(environment: BackendEnvironment(name: "test", services: [.core: server.url])) {
            $0.headers = ["Content-Type": "application/json"]
        }
        var resource = BackendResource<Void, Int, NoAuth>(path: .api(.core, "/photos"), method: .POST)
        let body = RequestBody.multipart([.text("title", "Sunset")], boundary: "XX")
        _ = try await session.upload(body, to: resource)
        let encoded = BackendResource<Int, Int, NoAuth>(path: .api(.core, "/photos"), method: .POST)
        _ = try await session.upload(body, to: encoded.sending(7))
        _ = try await session.upload(.data(Data("7".utf8)), to: resource)
        resource.headers["content-type"] = "text/plain"
        _ = try await session.upload(body, to: resource)
        let types = server.requests.map { request in
            request.head.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("content-type:") }
                .map { String($0.dropFirst("content-type: ".count)) }
        }
        let form = "multipart/form-data; boundary=XX"
        #expect(types == [[form], [form], ["application/json"], ["text/plain"]])
    }

    @Test("If the answer has no value, an upload, and a request that reports its progress, complete without one")
    func completion() async throws {
        let server = try UploadTests.makeServer()
        defer { withExtendedLifetime(server) {} }
        let session = BackendSession(
            environment: BackendEnvironment(name: "test", services: [.core: server.url]),
            credentials: FixedCredentials(.bearer("key")))
        let open = BackendResource<Void, Void, NoAuth>(path: .api(.core, "/open"), method: .POST)
        let guarded = BackendResource<Void, Void, KongAuth>(path: .api(.core, "/guarded"), method: .POST)
        let producers: [SignalProducer<Never, CoreError>] = [
            session.upload(.data(Data("7".utf8)), to: open), session.access(open) { _ in },
            session.access(guarded) { _ in },
        ]
        for producer in producers { try await producer.wait() }
        #expect(server.requests.map(\.path) == ["/open", "/open", "/guarded"])
    }

    @Test("A file that a link leads to is sent as it is", arguments: TransportKind.allCases)
    func linkedFile(kind: TransportKind) async throws {
        let server = try UploadTests.makeServer()
        defer { withExtendedLifetime(server) {} }
        try await UploadTests.withFile(Data(count: 1_000)) { file in
            let link = file.appendingPathExtension("link")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            defer { try? FileManager.default.removeItem(at: link) }
            let request = TransportRequest(method: .POST, url: server.url, body: .file(link), timeout: .seconds(60))
            let response = try await kind.make().send(request)
            #expect(String(decoding: response.body, as: UTF8.self) == "1000")
        }
    }

    @Test(
        "A path without a length, such as a pipe or a folder, is refused as a file", arguments: TransportKind.allCases)
    func notAFile(kind: TransportKind) async throws {
        let server = try UploadTests.makeServer()
        let pipe = FileManager.default.temporaryDirectory.appending(path: "upload pipe \(UUID().uuidString)")
        try #require(mkfifo(pipe.path(percentEncoded: false), 0o600) == 0)
        defer { try? FileManager.default.removeItem(at: pipe) }
        for url in [pipe, FileManager.default.temporaryDirectory] {
            let request = TransportRequest(method: .POST, url: server.url, body: .file(url), timeout: .seconds(60))
            let error = await failure { () async throws(CoreError) in try await kind.make().send(request) }
            guard case .request(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason.contains("is not a file"), "\(failure.reason)")
        }
        #expect(!server.hasConnections)
    }

    @Test(
        "A line break in a content type, a boundary or a field is refused before anything is sent",
        arguments: ["\r\nX-Admin: 1", "\nX-Admin: 1", "\r", "\0"], TransportKind.allCases)
    func injection(text: String, kind: TransportKind) async throws {
        let server = try UploadTests.makeServer()
        let bodies: [RequestBody] = [
            .data(Data("x".utf8), contentType: "image/png\(text)"), .multipart([.text("a", "b")], boundary: "a\(text)"),
        ]
        var requests = bodies.map { TransportRequest(method: .POST, url: server.url, body: $0) }
        requests.append(TransportRequest(url: server.url, headers: ["X-Name": "a\(text)"]))
        for request in requests {
            let error = await failure { () async throws(CoreError) in try await kind.make().send(request) }
            guard case .request = error else { return recordUnexpected(error) }
        }
        #expect(!server.hasConnections)
    }

    @Test(
        "A stream is sent piece by piece, under its length or in chunks", arguments: [nil, Int64(26)],
        TransportKind.allCases)
    func stream(length: Int64?, kind: TransportKind) async throws {
        let backend = LocalBackend()
        backend.post("/") { request in
            .data(
                request.body, contentType: "text/plain",
                headers: ["X-Length": request.headers["Content-Length"] ?? "none"])
        }
        let url = try await backend.start()
        let letters = (0..<26).map { Data([UInt8(97 + $0)]) }
        let body = RequestBody.stream(length: length) {
            AsyncStream { continuation in
                letters.forEach { continuation.yield($0) }
                continuation.finish()
            }
        }
        let response = try await kind.make().send(
            TransportRequest(method: .POST, url: url.appending(path: "/"), body: body))
        #expect(String(decoding: response.body, as: UTF8.self) == "abcdefghijklmnopqrstuvwxyz")
        // `URLSession` uploads a file, whose length is known.
        let expected = kind == .urlSession ? 26 : length
        #expect(response.header("X-Length") == expected.map { "\($0)" } ?? "none")
        await backend.stop()
    }

    @Test("A slow stream is not the server's silence", .timeLimit(.minutes(10)))
    func slowStream() async throws {
        let server = try UploadTests.makeServer()
        defer { withExtendedLifetime(server) {} }
        let body = RequestBody.stream(length: 2) {
            AsyncStream<Data> { continuation in
                Task {
                    for _ in 0..<2 {
                        try? await Task.sleep(for: .milliseconds(1_500))
                        continuation.yield(Data([1]))
                    }
                    continuation.finish()
                }
            }
        }
        let request = TransportRequest(method: .POST, url: server.url, body: body, timeout: .seconds(1))
        #expect(try await DefaultTransport().send(request).body == Data("2".utf8))
    }

    @Test("A stream that fails, and a file that is not there, are told, and nothing is sent as if it were whole")
    func unreadable() async throws {
        struct Broken: Error, CustomStringConvertible { let description = "The camera was closed." }
        let server = try UploadTests.makeServer()
        defer { withExtendedLifetime(server) {} }
        let broken = RequestBody.stream(length: 100) {
            AsyncThrowingStream<Data, any Error> { continuation in
                continuation.yield(Data([1]))
                continuation.finish(throwing: Broken())
            }
        }
        for (body, words) in [
            (broken, "The camera was closed."), (.file(URL(filePath: "/no/such/file")), "could not be read"),
        ] {
            let request = TransportRequest(method: .POST, url: server.url, body: body, timeout: .seconds(60))
            let error = await failure { () async throws(CoreError) in try await DefaultTransport().send(request) }
            guard case .request(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason.contains(words))
        }
        #expect(server.requests.isEmpty)
    }

    @Test(
        "A body of another length than was declared fails, and the next answer is its own", .timeLimit(.minutes(10)),
        arguments: ["12345GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n", "1234"])
    func otherLength(text: String) async throws {
        let server = try RawServer { request, send in
            send(Array("HTTP/1.1 200 OK\r\nContent-Length: \(request.path.utf8.count)\r\n\r\n\(request.path)".utf8))
            return .keep
        }
        defer { withExtendedLifetime(server) {} }
        let transport = DefaultTransport()
        let body = RequestBody.stream(length: 5) {
            AsyncStream { continuation in
                continuation.yield(Data(text.utf8.prefix(3)))
                continuation.yield(Data(text.utf8.dropFirst(3)))
                continuation.finish()
            }
        }
        let request = TransportRequest(
            method: .POST, url: server.url.appending(path: "upload"), body: body, timeout: .seconds(600))
        let error = await failure { () async throws(CoreError) in try await transport.send(request) }
        #if os(Linux)
        guard case .request(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.reason == "Its body has another length than the 5 bytes that were declared.")
        #endif
        let next = try await transport.send(TransportRequest(url: server.url.appending(path: "next")))
        #expect(String(decoding: next.body, as: UTF8.self) == "/next")
        #expect(!server.requests.map(\.path).contains("/smuggled"))
    }

    #if os(Linux)
    @Test(
        "A refusal is heard while the body's stream has nothing to send", .timeLimit(.minutes(10)),
        arguments: [nil, Int64(100)], ["", "Connection: close\r\n"])
    func refusedStream(length: Int64?, field: String) async throws {
        let server = try RawServer(takesBodies: false) { _, send in
            send(Array("HTTP/1.1 413 Content Too Large\r\n\(field)Content-Length: 4\r\n\r\nfull".utf8))
            return .hold
        }
        defer { withExtendedLifetime(server) {} }
        var request = TransportRequest(
            method: .POST, url: server.url, body: .stalled(length: length), timeout: .seconds(60))
        request.totalTimeout = .seconds(60)
        let response = try await DefaultTransport().send(request)
        #expect(response.status == 413 && String(decoding: response.body, as: UTF8.self) == "full")
    }

    @Test(
        "A stream that has nothing to send notices that the server has closed the connection",
        .timeLimit(.minutes(10)), arguments: [nil, Int64(100)], [RawServer.Ending.close, .reset])
    func closedConnection(length: Int64?, ending: RawServer.Ending) async throws {
        let server = try RawServer(takesBodies: false) { _, _ in ending }
        defer { withExtendedLifetime(server) {} }
        let request = TransportRequest(method: .POST, url: server.url, body: .stalled(length: length))
        let error = await failure { () async throws(CoreError) in try await DefaultTransport().send(request) }
        guard case .network(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.reason == .connectionLost)
    }

    @Test(
        "An early answer is delivered when the server closes the connection, although the body has nothing to send",
        .timeLimit(.minutes(10)), arguments: [nil, Int64(100)],
        [
            "200 OK\r\nContent-Length: 4\r\n\r\ndone", "200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\ndone",
            "200 OK\r\n\r\ndone", "204 No Content\r\n\r\n",
            "201 Created\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ndone\r\n0\r\n\r\n",
            "201 Created\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ndone\r\n0\r\n\r\n",
            "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\ndo\r\n2;x\r\nne\r\n0\r\nX-Sum: 7\r\n\r\n",
        ])
    func earlyAnswer(length: Int64?, answer: String) async throws {
        let server = try RawServer(takesBodies: false) { _, send in
            send(Array("HTTP/1.1 \(answer)".utf8))
            return .close
        }
        defer { withExtendedLifetime(server) {} }
        var request = TransportRequest(method: .POST, url: server.url, body: .stalled(length: length))
        request.totalTimeout = .seconds(60)
        let response = try await DefaultTransport().send(request)
        #expect(answer.hasPrefix("\(response.status) "))
        #expect(String(decoding: response.body, as: UTF8.self) == (response.status == 204 ? "" : "done"))
    }

    @Test(
        "An early answer that is the last one of its connection is delivered although the connection stays open",
        .timeLimit(.minutes(10)), arguments: [nil, Int64(100)],
        ["Content-Length: 4\r\n\r\ndone", "Transfer-Encoding: chunked\r\n\r\n4\r\ndone\r\n0\r\n\r\n"])
    func lastAnswer(length: Int64?, answer: String) async throws {
        let server = try RawServer(takesBodies: false) { _, send in
            send(Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\(answer)".utf8))
            return .hold
        }
        defer { withExtendedLifetime(server) {} }
        var request = TransportRequest(method: .POST, url: server.url, body: .stalled(length: length))
        request.totalTimeout = .seconds(60)
        let response = try await DefaultTransport().send(request)
        #expect(response.status == 200 && String(decoding: response.body, as: UTF8.self) == "done")
    }

    @Test(
        "An early answer that is cut is a lost connection, although the body has nothing to send",
        .timeLimit(.minutes(10)),
        arguments: [
            "Content-Length: 5\r\n\r\ndone", "Connection: close\r\nContent-Length: 5\r\n\r\ndone",
            "Transfer-Encoding: chunked\r\n\r\n4\r\ndone\r\n",
            "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ndone\r\n",
        ])
    func cutEarlyAnswer(answer: String) async throws {
        let server = try RawServer(takesBodies: false) { _, send in
            send(Array("HTTP/1.1 200 OK\r\n\(answer)".utf8))
            return .close
        }
        defer { withExtendedLifetime(server) {} }
        var request = TransportRequest(method: .POST, url: server.url, body: .stalled())
        request.totalTimeout = .seconds(60)
        let error = await failure { () async throws(CoreError) in try await DefaultTransport().send(request) }
        guard case .network(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.reason == .connectionLost)
    }

    @Test(
        "The rest of the body is sent after an early answer on a connection that stays open", .timeLimit(.minutes(10)))
    func openConnection() async throws {
        let (isAnswered, isWhole) = (Box(false), Box(false))
        let server = try RawServer(takesBodies: false) { _, send in
            send(Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone".utf8))
            return .hold
        }
        defer { withExtendedLifetime(server) {} }
        let body = RequestBody.stream {
            AsyncStream<Data> { continuation in
                continuation.onTermination = { if case .finished = $0 { isWhole.value = true } }
                Task {
                    continuation.yield(Data([1]))
                    await eventually { isAnswered.value }
                    for byte in UInt8(2)...100 { continuation.yield(Data([byte])) }
                    continuation.finish()
                }
            }
        }
        let request = TransportRequest(
            method: .POST, url: server.url, body: body,
            progress: { if $0.bytesReceived == 4 { isAnswered.value = true } })
        #expect(try await DefaultTransport().send(request).status == 200)
        #expect(isWhole.value)
    }

    @Test("An answer that is not HTTP is told as such while the body has nothing to send", .timeLimit(.minutes(10)))
    func junkAnswer() async throws {
        let server = try RawServer(takesBodies: false) { _, send in
            send(Array("SSH-2.0-x\r\n".utf8))
            return .close
        }
        defer { withExtendedLifetime(server) {} }
        let request = TransportRequest(method: .POST, url: server.url, body: .stalled())
        let error = await failure { () async throws(CoreError) in try await DefaultTransport().send(request) }
        guard case .network(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.reason == .malformedAnswer)
    }

    @Test("A refusal that stalls is the server's silence", .timeLimit(.minutes(10)))
    func stalledRefusal() async throws {
        let server = try RawServer(takesBodies: false) { _, send in
            send(Array("HTTP/1.1 413 Content Too Large\r\nContent-Length: 4\r\n\r\nfu".utf8))
            return .hold
        }
        defer { withExtendedLifetime(server) {} }
        let request = TransportRequest(
            method: .POST, url: server.url, body: .stalled(), timeout: .milliseconds(300))
        let error = await failure { () async throws(CoreError) in try await DefaultTransport().send(request) }
        guard case .network(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.reason == .timedOut)
    }
    #endif

    @Test("A file that grows while it is sent fails, and nothing of it is taken for a request")
    func growingFile() async throws {
        let server = try UploadTests.makeServer()
        defer { withExtendedLifetime(server) {} }
        try await UploadTests.withFile(Data(count: 1 << 20)) { file in
            let isGrown = Box(false)
            let request = TransportRequest(
                method: .POST, url: server.url, body: .file(file),
                progress: { _ in
                    guard !isGrown.value, let handle = try? FileHandle(forWritingTo: file) else { return }
                    isGrown.value = true
                    _ = try? handle.seekToEnd()
                    try? handle.write(contentsOf: Data("GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
                })
            _ = await failure { () async throws(CoreError) in try await DefaultTransport().send(request) }
        }
        #expect(!server.requests.map(\.path).contains("/smuggled"))
    }

    @Test("A body can be read whole, and a stream that fails is told")
    func collected() async throws {
        struct Broken: Error, CustomStringConvertible { let description = "The camera was closed." }
        let data = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await UploadTests.withFile(data) { file in
            #expect(try await RequestBody.file(file).collected() == data)
            #expect(try RequestBody.file(file).length() == 600_000)
            let form = RequestBody.multipart([.text("a", "b"), .file("c", file)], boundary: "XX")
            let collected = try await form.collected()
            #expect(try form.length() == Int64(collected.count) && form.data == nil)
            #expect(collected.range(of: data) != nil)
        }
        let pieces = [Data([1, 2]), Data(), Data([3])]
        let stream = RequestBody.stream(length: 3) {
            AsyncThrowingStream<Data, any Error> { continuation in
                pieces.forEach { continuation.yield($0) }
                continuation.finish()
            }
        }
        #expect(try await stream.collected() == Data([1, 2, 3]))
        #expect(try stream.length() == 3 && stream.data == nil)
        let broken = RequestBody.stream { AsyncThrowingStream<Data, any Error> { $0.finish(throwing: Broken()) } }
        let error = await failure { () async throws(CoreError) in try await broken.collected() }
        #expect(error == .request(RequestFailure("Its body could not be read: The camera was closed.")))
        #expect(RequestBody.multipart([.text("a", "b")]).data?.isEmpty == false)
    }

    @Test("A cancelled upload ends its stream")
    func cancelled() async throws {
        let ended = Box(false)
        let server = try UploadTests.makeServer()
        defer { withExtendedLifetime(server) {} }
        let body = RequestBody.stream(length: 10) {
            AsyncStream<Data> { continuation in
                continuation.onTermination = { _ in ended.value = true }
                continuation.yield(Data([1]))
            }
        }
        let request = TransportRequest(method: .POST, url: server.url, body: body)
        let task = Task { () async throws(CoreError) in try await DefaultTransport().send(request) }
        await eventually { server.hasConnections }
        task.cancel()
        let result = await task.result
        #expect(throws: CoreError.cancelled) { try result.get() }
        await eventually("the stream has ended") { ended.value }
    }

    @Test("A form has its parts in order, with escaped names", arguments: TransportKind.allCases)
    func multipart(kind: TransportKind) async throws {
        let server = try UploadTests.makeServer()
        defer { withExtendedLifetime(server) {} }
        try await UploadTests.withFile(Data("file".utf8)) { url in
            let body = RequestBody.multipart(
                [
                    .text("title", "Sun & \"sea\""),
                    .file("photo", url, fileName: "a\"b\r\n.jpg", contentType: "image/jpeg"),
                    .data("raw", Data([0, 255])),
                ], boundary: "XX")
            _ = try await kind.make().send(TransportRequest(method: .POST, url: server.url, body: body))
        }
        let sent = try #require(server.requests.last)
        let expected =
            "--XX\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nSun & \"sea\"\r\n"
            + "--XX\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a%22b%0D%0A.jpg\"\r\n"
            + "Content-Type: image/jpeg\r\n\r\nfile\r\n"
            + "--XX\r\nContent-Disposition: form-data; name=\"raw\"\r\nContent-Type: application/octet-stream\r\n\r\n"
        #expect(sent.body == Data(expected.utf8) + Data([0, 255]) + Data("\r\n--XX--\r\n".utf8))
        #expect(sent.head.contains("Content-Type: multipart/form-data; boundary=XX\r\n"))
    }

    @Test("Neither a name nor a type of a part begins a line")
    func partInjection() async throws {
        let part = MultipartPart.data("a\r\nX: y", Data(), fileName: "b\n", contentType: "image/png\r\nX: y\n")
        let form = try await RequestBody.multipart([part], boundary: "XX").collected()
        let expected =
            "--XX\r\nContent-Disposition: form-data; name=\"a%0D%0AX: y\"; filename=\"b%0A\"\r\n"
            + "Content-Type: image/pngX: y\r\n\r\n\r\n--XX--\r\n"
        #expect(String(decoding: form, as: UTF8.self) == expected)
    }

    @Test("A session uploads a body to a resource, with progress")
    func session() async throws {
        try await withBackend { backend, session in
            backend.post("/photos") { request in .json(request.body.count, status: 201) }
            let photos = BackendResource<Void, Int, KongAuth>(path: .api(.core, "/photos"), method: .POST)
            try await UploadTests.withFile(Data(count: 3 << 20)) { url in
                let steps = Box<[TransferProgress]>([])
                let count = try await session.upload(.file(url), to: photos) { step in steps.update { $0.append(step) }
                }
                #expect(count == 3 << 20)
                #expect(steps.value.map(\.bytesSent).max() == 3 << 20)
                #expect(steps.value.filter { $0.bytesSent > 0 }.allSatisfy { $0.bytesToSend == 3 << 20 })
            }
            #expect(backend.requests.last?.headers["Content-Type"] == "application/octet-stream")
            #expect(backend.requests.last?.headers["Authorization"] == "Bearer secret")
        }
    }
}
