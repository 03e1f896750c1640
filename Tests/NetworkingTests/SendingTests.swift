import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Testing

@Suite("Sending")
struct SendingTests {
    private static let ok = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)

    // MARK: - On which thread

    @Test("A task that starts a producer sends the request itself, before the start returns")
    func startedByTask() async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        let url = try #require(URL(string: "https://example.com"))
        let (sender, answered) = (Box<ObjectIdentifier?>(nil), Box(0))
        let transport = StubTransport { request throws(CoreError) in
            sender.value = currentThread()
            return try TransportResponse(status: 204, headers: [:], body: Data(), url: request.url)
        }
        let session = BackendSession(
            environment: BackendEnvironment(name: "test", services: [.core: url]), transport: transport)
        // In a detached task, as the main actor may run the test.
        await Task.detached {
            let producer: SignalProducer<Void, CoreError> = session.access(
                BackendResource<Void, Void, NoAuth>(path: .api(.core, "/v1/seen"), method: .POST))
            producer.startWithResult { _ in answered.update { $0 += 1 } }
            #expect(sender.value == currentThread())
        }.value
        await eventually { answered.value == 1 }
    }

    // MARK: - Never twice

    @Test(
        "A request that is not idempotent is not sent again when a connection that was kept open dies after it was read",
        arguments: TransportKind.survivors, [RawServer.Ending.close, .reset])
    func notTwice(kind: TransportKind, ending: RawServer.Ending) async throws {
        for (method, body) in [(HTTPMethod.POST, nil), (.POST, RequestBody.data(Data("x".utf8))), (.PATCH, nil)] {
            let server = try RawServer { request, send in
                guard request.turn == 0 else { return ending }
                send(SendingTests.ok)
                return .keep
            }
            defer { withExtendedLifetime(server) {} }
            let transport = kind.make()
            _ = try await transport.send(TransportRequest(url: server.url))
            let request = TransportRequest(method: method, url: server.url.appending(path: "write"), body: body)
            let error = await failure { () async throws(CoreError) in try await transport.send(request) }
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .connectionLost)
            #expect(server.requests.filter { $0.path == "/write" }.count == 1)
        }
    }

    @Test("A request that is idempotent is sent again over a new connection", arguments: TransportKind.survivors)
    func idempotentTwice(kind: TransportKind) async throws {
        let server = try RawServer { request, send in
            guard request.turn == 0 else { return .close }
            send(SendingTests.ok)
            return .keep
        }
        defer { withExtendedLifetime(server) {} }
        let transport = kind.make()
        for method in [HTTPMethod.GET, .PUT] {
            _ = try await transport.send(TransportRequest(url: server.url))
            let body = method == .PUT ? RequestBody.data(Data("content".utf8)) : nil
            let request = TransportRequest(method: method, url: server.url.appending(path: "again"), body: body)
            #expect(try await transport.send(request).status == 200)
            let sent = server.requests.filter { $0.path == "/again" && $0.method == method.rawValue }
            #expect(sent.count == 2)
            #expect(sent.allSatisfy { $0.body == body?.data ?? Data() })
        }
    }

    @Test("A connection that the server closed while it was idle is replaced", arguments: TransportKind.survivors)
    func idleClosed(kind: TransportKind) async throws {
        let server = try RawServer { _, send in
            send(SendingTests.ok)
            return .close
        }
        defer { withExtendedLifetime(server) {} }
        let transport = kind.make()
        for count in 1...20 {
            #expect(try await transport.send(TransportRequest(method: .POST, url: server.url)).status == 200)
            await eventually { server.closedConnections == count }
        }
        #expect(server.requests.count == 20)
    }

    @Test("Requests follow one another on one connection", arguments: TransportKind.allCases)
    func keptOpen(kind: TransportKind) async throws {
        let server = try RawServer { _, send in
            send(SendingTests.ok)
            return .keep
        }
        defer { withExtendedLifetime(server) {} }
        let transport = kind.make()
        for _ in 0..<20 { _ = try await transport.send(TransportRequest(method: .POST, url: server.url)) }
        #expect(Set(server.requests.map(\.connection)).count == 1)
    }

    // MARK: - What is sent

    @Test("Each method sends its body, or none, with its length", arguments: TransportKind.allCases)
    func methods(kind: TransportKind) async throws {
        let server = try RawServer { _, send in
            send(SendingTests.ok)
            return .keep
        }
        defer { withExtendedLifetime(server) {} }
        let transport = kind.make()
        for method in [HTTPMethod.GET, .POST, .PUT, .PATCH, .DELETE, .OPTIONS, .init(rawValue: "PURGE")] {
            for body in [nil, "", "content"] where method != .GET || body == nil {
                let request = TransportRequest(
                    method: method, url: server.url, headers: ["X-Empty": "", "X-Full": "a b"],
                    body: body.map { .data(Data($0.utf8)) })
                #expect(try await transport.send(request).status == 200)
                let sent = try #require(server.requests.last)
                #expect(sent.method == method.rawValue)
                #expect(String(decoding: sent.body, as: UTF8.self) == body ?? "")
                #expect(sent.head.contains("X-Full: a b\r\n"))
                #expect(!sent.head.contains("Expect:"))
            }
        }
    }

    @Test("A server that refuses the caller's `Expect` still gets the body", arguments: TransportKind.survivors)
    func expectation(kind: TransportKind) async throws {
        let server = try RawServer(takesBodies: false) { request, send in
            let isRefused = request.head.lowercased().contains("\r\nexpect:")
            send(Array("HTTP/1.1 \(isRefused ? "417 No" : "200 OK")\r\nContent-Length: 0\r\n\r\n".utf8))
            return .close
        }
        defer { withExtendedLifetime(server) {} }
        let request = TransportRequest(
            method: .POST, url: server.url, headers: ["expect": "100-continue"], body: .data(Data("body".utf8)),
            timeout: .seconds(600))
        #expect(try await kind.make().send(request).status == 200)
        #expect(server.requests.count == 1)
    }

    @Test("The path and the query go as they are encoded", arguments: TransportKind.allCases)
    func address(kind: TransportKind) async throws {
        let server = try RawServer { _, send in
            send(SendingTests.ok)
            return .close
        }
        defer { withExtendedLifetime(server) {} }
        let url = try #require(URL(string: "\(server.url)a%20b/c%2Fd/%C3%BC?x=%26&y=1+2#part"))
        _ = try await kind.make().send(TransportRequest(url: url))
        #expect(server.requests.last?.path == "/a%20b/c%2Fd/%C3%BC?x=%26&y=1+2")
    }

    @Test("Dots in a path stay as they are", arguments: TransportKind.survivors)
    func dots(kind: TransportKind) async throws {
        let server = try RawServer { _, send in
            send(SendingTests.ok)
            return .close
        }
        defer { withExtendedLifetime(server) {} }
        let url = try #require(URL(string: "\(server.url)a/../b/./c/..?d=../e"))
        _ = try await kind.make().send(TransportRequest(url: url))
        #expect(server.requests.last?.path == "/a/../b/./c/..?d=../e")
    }

    @Test("User and password of a URL are sent as Basic", arguments: TransportKind.survivors)
    func basic(kind: TransportKind) async throws {
        let server = try RawServer { _, send in
            send(SendingTests.ok)
            return .close
        }
        defer { withExtendedLifetime(server) {} }
        for (user, credentials) in [("an%40na:p%40ss", "an@na:p@ss"), ("anna", "anna:")] {
            let text = server.url.absoluteString.replacing("http://", with: "http://\(user)@")
            _ = try await kind.make().send(TransportRequest(url: try #require(URL(string: text))))
            let expected = "Authorization: Basic \(Data(credentials.utf8).base64EncodedString())\r\n"
            #expect(server.requests.last?.head.contains(expected) == true)
        }
    }

    @Test("The configuration of a URLSession can be changed")
    func configured() async throws {
        let server = try RawServer(answering: SendingTests.ok)
        defer { withExtendedLifetime(server) {} }
        let transport = URLSessionTransport { $0.httpAdditionalHeaders = ["X-Name": "a"] }
        _ = try await transport.send(TransportRequest(url: server.url))
        #expect(server.requests.last?.head.contains("X-Name: a\r\n") == true)
    }

    @Test("A body that is to be empty has no byte", arguments: TransportKind.allCases)
    func noBody(kind: TransportKind) async throws {
        let server = try RawServer { request, send in
            let length = Int(request.path.dropFirst()) ?? 0
            send(Array("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n\(length == 0 ? "" : "x")".utf8))
            return .close
        }
        defer { withExtendedLifetime(server) {} }
        for limit in [0, -1] {
            let url = (0...1).map { server.url.appending(path: "\($0)") }
            let answer = try await kind.make().send(TransportRequest(url: url[0], destination: .memory(limit: limit)))
            #expect(answer.body.isEmpty)
            let error = await failure { () async throws(CoreError) in
                try await kind.make().send(TransportRequest(url: url[1], destination: .memory(limit: limit)))
            }
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .bodyTooLarge(limit: 0))
        }
    }

    @Test("No cookie is kept", arguments: TransportKind.allCases)
    func cookies(kind: TransportKind) async throws {
        let server = try RawServer { _, send in
            send(Array("HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n".utf8))
            return .keep
        }
        defer { withExtendedLifetime(server) {} }
        let transport = kind.make()
        for _ in 0..<2 { _ = try await transport.send(TransportRequest(url: server.url)) }
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { !$0.head.contains("Cookie") })
    }

    @Test(
        "Only http and https are spoken", arguments: TransportKind.survivors,
        ["ftp://127.0.0.1:1/x", "file:///etc/passwd", "gopher://127.0.0.1:1/x", "http:", "/x"])
    func schemes(kind: TransportKind, text: String) async throws {
        let url = try #require(URL(string: text))
        let request = TransportRequest(method: .POST, url: url, body: .data(Data("secret".utf8)))
        let error = await failure { () async throws(CoreError) in try await kind.make().send(request) }
        guard case .request(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.reason.hasSuffix("is not an http or https URL with a host."))
    }

    @Test("An ftp redirect, with a port or without, is refused", arguments: TransportKind.survivors)
    func ftpRedirect(kind: TransportKind) async throws {
        for target in ["ftp://127.0.0.1:21/x", "ftp://127.0.0.1/x", "file:///etc/passwd"] {
            let server = try RawServer(
                answering: Array("HTTP/1.1 307 Go\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n".utf8))
            defer { withExtendedLifetime(server) {} }
            let session = BackendSession(
                environment: BackendEnvironment(name: "raw", services: [.core: server.url]), transport: kind.make())
            let upload = BackendResource<[Int], Void, NoAuth>(path: .api(.core, "/"), method: .PUT)
            let error = await failure { () async throws(CoreError) -> Void in
                let _: Void = try await session.access(upload, with: [1])
            }
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .refusedRedirect)
        }
    }

    // MARK: - Timeouts

    @Test("A silent server is given up after the silence that is allowed, in milliseconds")
    func silence() async throws {
        let server = try RawServer { _, _ in .hold }
        defer { withExtendedLifetime(server) {} }
        let transport = DefaultTransport()
        var times: [Duration] = []
        for _ in 0..<20 {
            let start = ContinuousClock.now
            let request = TransportRequest(url: server.url, timeout: .milliseconds(20))
            let error = await failure { () async throws(CoreError) in try await transport.send(request) }
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .timedOut)
            times.append(ContinuousClock.now - start)
        }
        // A transport that counts whole seconds would take one for each. A busy machine may delay some, but not all.
        #expect(try #require(times.min()) >= .milliseconds(20) && #require(times.min()) < .milliseconds(900))
    }

    @Test(
        "A server that takes no more of a body is silent, whether it has begun its answer or not",
        .timeLimit(.minutes(10)), arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"], [true, false])
    func silenceDuringUpload(answer: String, isStream: Bool) async throws {
        let isOver = Box(false)
        let server = try RawServer(takesBodies: false) { _, send in
            send(Array(answer.utf8))
            while !isOver.value { usleep(10_000) }
            return .reset
        }
        defer {
            isOver.value = true
            withExtendedLifetime(server) {}
        }
        // More than the system takes for a server that does not read.
        let piece = Data(count: 1 << 20)
        let body =
            isStream
            ? RequestBody.stream {
                AsyncStream { continuation in
                    for _ in 0..<32 { continuation.yield(piece) }
                    continuation.finish()
                }
            } : .data(Data(count: 32 << 20))
        let request = TransportRequest(method: .POST, url: server.url, body: body, timeout: .milliseconds(500))
        let error = await failure { () async throws(CoreError) in try await DefaultTransport().send(request) }
        guard case .network(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.reason == .timedOut)
    }

    @Test("A server that sends a byte now and then is not silent, but does not outlast the limit of the whole")
    func dripping() async throws {
        let server = try RawServer { _, send in
            send(Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".utf8))
            for _ in 0..<2_000 {
                send([0x78])
                usleep(10_000)
            }
            return .close
        }
        defer { withExtendedLifetime(server) {} }
        var request = TransportRequest(url: server.url, timeout: .seconds(10))
        request.totalTimeout = .milliseconds(300)
        let start = ContinuousClock.now
        let error = await failure { () async throws(CoreError) in try await DefaultTransport().send(request) }
        guard case .network(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.reason == .timedOut)
        let time = ContinuousClock.now - start
        #expect(time >= .milliseconds(300))
    }

    @Test("A server that does not take the connection is given up after the time to connect", .timeLimit(.minutes(10)))
    func connecting() async throws {
        let port = try FullPort()
        defer { withExtendedLifetime(port) {} }
        var request = TransportRequest(url: port.url, timeout: .seconds(600))
        request.connectTimeout = .milliseconds(200)
        let error = await failure { () async throws(CoreError) in try await DefaultTransport().send(request) }
        guard case .network(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.reason == .timedOut)
    }

    @Test("The time to connect may be longer than the silence that is allowed", .timeLimit(.minutes(10)))
    func connectingForLong() async throws {
        let port = try FullPort()
        defer { withExtendedLifetime(port) {} }
        var request = TransportRequest(url: port.url, timeout: .milliseconds(20))
        request.connectTimeout = .milliseconds(400)
        let start = ContinuousClock.now
        let error = await failure { () async throws(CoreError) in try await DefaultTransport().send(request) }
        guard case .network(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.reason == .timedOut)
        #if os(Linux)
        #expect(ContinuousClock.now - start >= .milliseconds(390))
        #endif
    }

    @Test("A long time to connect does not prolong the silence that is allowed", .timeLimit(.minutes(5)))
    func silenceAfterConnecting() async throws {
        let server = try RawServer { _, _ in .hold }
        defer { withExtendedLifetime(server) {} }
        var request = TransportRequest(url: server.url, timeout: .milliseconds(20))
        request.connectTimeout = .seconds(600)
        let error = await failure { () async throws(CoreError) in try await DefaultTransport().send(request) }
        guard case .network(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.reason == .timedOut)
    }

    @Test("A limit may be so long that it is none")
    func noLimit() async throws {
        try await withBackend(configure: {
            $0.timeout = .seconds(Int64.max)
            $0.totalTimeout = .seconds(Int64.max)
            $0.connectTimeout = .seconds(Int64.max)
        }) { backend, session in
            backend.get("/one") { _ in .json([1]) }
            let answer = try await session.access(BackendResource<Void, [Int], KongAuth>.get("/one"))
            #expect(answer == [1])
        }
    }

    @Test(
        "URLSession gets the limit in whole seconds",
        arguments: [(Duration.milliseconds(200), 1.0), (.milliseconds(1_500), 2), (.seconds(30), 30)])
    func wholeSeconds(_ limit: Duration, _ seconds: Double) {
        #expect(TransportRequest(url: URL(filePath: "/"), timeout: limit).urlRequest.timeoutInterval == seconds)
    }

    @Test("Thousands of waiting uploads whose file is gone fail one after the other", .timeLimit(.minutes(10)))
    func missingUploads() async throws {
        let server = try RawServer { _, _ in .hold }
        defer { withExtendedLifetime(server) {} }
        let transport = DefaultTransport()
        let held = (0..<6).map { number in
            Task { () async throws(CoreError) in
                try await transport.send(
                    TransportRequest(url: server.url.appending(path: "\(number)"), timeout: .seconds(600)))
            }
        }
        await eventually { server.requests.count == 6 }
        let file = FileManager.default.temporaryDirectory.appending(path: "gone \(UUID().uuidString)")
        try Data([1]).write(to: file)
        let count = 5_000
        let (begun, failed) = (Box(0), Box(0))
        let uploads = (0..<count).map { _ in
            Task {
                begun.update { $0 += 1 }
                let request = TransportRequest(
                    method: .POST, url: server.url, body: .file(file), timeout: .seconds(600))
                let error = await failure { () async throws(CoreError) in try await transport.send(request) }
                if case .request = error { failed.update { $0 += 1 } }
            }
        }
        await eventually { begun.value == count }
        try FileManager.default.removeItem(at: file)
        held.forEach { $0.cancel() }
        for upload in uploads { await upload.value }
        #expect(failed.value == count)
    }

    @Test("Waiting for a free connection counts toward the whole, and not as silence", .timeLimit(.minutes(10)))
    func queueing() async throws {
        let server = try RawServer { request, send in
            if request.path == "/hold" { return .hold }
            send(SendingTests.ok)
            return .keep
        }
        defer { withExtendedLifetime(server) {} }
        #if os(Linux)
        let transport = CurlTransport { $0.connectionsPerHost = 1 }
        let held = Task { () async throws(CoreError) in
            try await transport.send(TransportRequest(url: server.url.appending(path: "hold"), timeout: .seconds(600)))
        }
        await eventually { server.requests.count == 1 }
        var request = TransportRequest(url: server.url, timeout: .milliseconds(1))
        request.totalTimeout = .milliseconds(100)
        let error = await failure { () async throws(CoreError) in try await transport.send(request) }
        guard case .network(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.reason == .timedOut)

        let patient = Task { () async throws(CoreError) in
            try await transport.send(TransportRequest(url: server.url, timeout: .seconds(60)))
        }
        held.cancel()
        let response = try await patient.value
        #expect(response.status == 200)
        #endif
    }

    #if os(Linux)
    @Test("A request without a limit of the whole waits while others are given up", .timeLimit(.minutes(10)))
    func waitingBesideLate() async throws {
        let server = try RawServer { request, send in
            if request.path == "/hold" { return .hold }
            send(SendingTests.ok)
            return .keep
        }
        defer { withExtendedLifetime(server) {} }
        let transport = CurlTransport { $0.connectionsPerHost = 1 }
        let held = Task { () async throws(CoreError) in
            try await transport.send(TransportRequest(url: server.url.appending(path: "hold"), timeout: .seconds(600)))
        }
        await eventually { server.requests.count == 1 }
        let patient = Task { () async throws(CoreError) in
            try await transport.send(TransportRequest(url: server.url, timeout: .seconds(600)))
        }
        for _ in 0..<10 {
            var request = TransportRequest(url: server.url)
            request.totalTimeout = .milliseconds(20)
            let error = await failure { () async throws(CoreError) in try await transport.send(request) }
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .timedOut)
        }
        held.cancel()
        #expect(try await patient.value.status == 200)
    }

    @Test("The file of trusted certificates may have a space in its name; without it, no connection is secure")
    func certificates() async throws {
        // It takes connections, and does not speak TLS.
        let server = try RawServer { _, _ in .hold }
        defer { withExtendedLifetime(server) {} }
        let url = try #require(URL(string: server.url.absoluteString.replacing("http:", with: "https:")))
        let file = FileManager.default.temporaryDirectory.appending(path: "my certificates \(UUID().uuidString).pem")
        try Data(SendingTests.certificate.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        for (file, timeout, reason) in [
            (file, Duration.milliseconds(300), NetworkFailure.Reason.timedOut),
            (URL(filePath: "/no/such/file"), .seconds(600), .insecureConnection),
        ] {
            let transport = CurlTransport { $0.trustedCertificates = file }
            let request = TransportRequest(url: url, timeout: timeout)
            let error = await failure { () async throws(CoreError) in try await transport.send(request) }
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == reason)
        }
    }

    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBfjCCASWgAwIBAgIUV7l5LNfiSAhzsmBhhZlIRmDKyDgwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyMzAxMTUyMFoYDzIxMjYxMDMw
        MDExNTIwWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAARC/JORkzR4UPmlrYLk5MM8sDzsCJxaBUf3KALwvIzoIWIdxQPuBD3+
        jcrIBKuN0ml6LAxICeeRYKUgNMXeHiAWo1MwUTAdBgNVHQ4EFgQUYBNBoD4cI0fo
        v4h9kzV/ekwzHO8wHwYDVR0jBBgwFoAUYBNBoD4cI0fov4h9kzV/ekwzHO8wDwYD
        VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAfNM1OwA1HljblkKUEU1au
        oEgNZ4vwoUT2h0OdfRO+vwIgMchHxZV5OvpFqQGtQXHyGcZGjWXnYneZBHfCDPgG
        KPY=
        -----END CERTIFICATE-----
        """
    #endif

    // MARK: - Cancellation

    @Test("A request that is cancelled after any byte of its answer throws that it was, and closes the connection")
    func cancelledAnywhere() async throws {
        let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello".utf8)
        let server = try RawServer { request, send in
            send(Array(bytes.prefix(Int(request.path.dropFirst()) ?? 0)))
            return .hold
        }
        defer { withExtendedLifetime(server) {} }
        for kind in TransportKind.survivors {
            let transport = kind.make()
            for count in 0..<bytes.count {
                let url = server.url.appending(path: "\(count)")
                let before = (server.requests.count, server.endedConnections)
                let task = Task { () async throws(CoreError) in
                    try await transport.send(TransportRequest(url: url))
                }
                await eventually { server.requests.count == before.0 + 1 }
                task.cancel()
                let result = await task.result
                #expect(throws: CoreError.cancelled) { try result.get() }
                await eventually("the connection is closed") { server.endedConnections == before.1 + 1 }
            }
        }
    }

    @Test(
        "A request that is cancelled while it connects, or waits for its turn, ends at once", .timeLimit(.minutes(10)))
    func cancelledBefore() async throws {
        let port = try FullPort()
        defer { withExtendedLifetime(port) {} }
        let transport = DefaultTransport()
        let tasks = (0..<20).map { _ in
            Task { () async throws(CoreError) in
                try await transport.send(TransportRequest(url: port.url, timeout: .seconds(600)))
            }
        }
        for task in tasks.reversed() {
            task.cancel()
            let result = await task.result
            #expect(throws: CoreError.cancelled) { try result.get() }
        }
    }

    @Test("Cancelled at random moments while redirects arrive, every request ends")
    func cancelledInRedirects() async throws {
        let server = try RawServer { request, send in
            let next = (Int(request.path.dropFirst()) ?? 0) + 1
            send(Array("HTTP/1.1 302 Found\r\nLocation: /\(next)\r\nContent-Length: 0\r\n\r\n".utf8))
            return .keep
        }
        defer { withExtendedLifetime(server) {} }
        let session = BackendSession(
            environment: BackendEnvironment(name: "raw", services: [.core: server.url])
        ) { $0.redirects = RedirectPolicy(limit: 1_000_000) }
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    let task = Task { try await session.access(BackendResource<Void, [Int], NoAuth>.get("/0")) }
                    try? await Task.sleep(for: .microseconds(.random(in: 0...30_000)))
                    task.cancel()
                    return (await task.result).isCancelled
                }
            }
            for await isCancelled in group { #expect(isCancelled) }
        }
    }
}

extension Result {
    fileprivate var isCancelled: Bool {
        if case .failure(let error) = self { error as? CoreError == .cancelled } else { false }
    }
}

private func currentThread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }
