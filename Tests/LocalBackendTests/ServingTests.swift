import FeedbackTesting
import Foundation
import Testing

@testable import LocalBackend

@Suite("Serving over sockets", .onOwnThread)
struct ServingTests {
    private struct City: Codable, Equatable {
        var name: String
    }

    private static func cities(configure: (inout LocalBackend.Configuration) -> Void = { _ in }) -> LocalBackend {
        let backend = LocalBackend(configure: configure)
        backend.get("/v1/cities") { _ in .json(["cities": [City(name: "London"), City(name: "Oslo")]]) }
        backend.get("/v1/cities/:id") { request in .text("\(try request.parameter("id", as: Int.self))") }
        backend.post("/v1/cities") { request in .json(try request.decode(City.self), status: 201) }
        backend.post("/echo") { request in .data(request.body, contentType: "application/octet-stream") }
        backend.get("/stream") { _ in
            .stream { body in
                for word in ["one ", "two ", "three"] { try await body.write(word) }
            }
        }
        backend.get("/fails") { _ in throw CocoaError(.fileNoSuchFile) }
        backend.get("/refuses") { _ in throw LocalBackend.Refusal(418, "No coffee.") }
        return backend
    }

    @Test("One connection serves one request after another")
    func keepAlive() async throws {
        try await ServingTests.cities().serve { client throws in
            #expect(try client.get("/v1/cities").text == #"{"cities":[{"name":"London"},{"name":"Oslo"}]}"#)
            #expect(try client.get("/v1/cities/7").text == "7")
            client.send(post("/v1/cities", #"{"name":"Rome"}"#))
            let created = try client.response()
            #expect(created.status == 201)
            #expect(created.headers["Content-Type"] == "application/json")
            #expect(try client.get("/v1/cities/8").text == "8")
        }
    }

    @Test("Pipelined requests are answered in their order, though the first is the slowest")
    func pipelining() async throws {
        let backend = LocalBackend()
        backend.get("/:number") { request in
            let number = try request.parameter("number", as: Int.self)
            if number % 10 == 0 { try await Task.sleep(for: .milliseconds(5)) }
            return .text("\(number)")
        }
        try await backend.serve { client throws in
            client.send((0..<100).map { "GET /\($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined())
            for number in 0..<100 { #expect(try client.response().text == "\(number)") }
        }
    }

    @Test("A body arrives whole, chunked or not, large or not", arguments: [0, 1, 1_000, 3_000_000])
    func bodies(count: Int) async throws {
        try await ServingTests.cities().serve { client throws in
            let body = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(count)\r\n\r\n")
            client.send(body)
            #expect(try client.response().body == body)

            client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
            var rest = body[...]
            while !rest.isEmpty {
                let chunk = rest.prefix(70_001)
                client.send("\(String(chunk.count, radix: 16))\r\n")
                client.send(chunk)
                client.send("\r\n")
                rest = rest.dropFirst(chunk.count)
            }
            client.send("0\r\n\r\n")
            #expect(try client.response().body == body)
        }
    }

    @Test("A streamed body comes in chunks")
    func streaming() async throws {
        try await ServingTests.cities().serve { client throws in
            let response = try client.get("/stream")
            #expect(response.headers["Transfer-Encoding"] == "chunked")
            #expect(response.text == "one two three")
            #expect(try client.get("/v1/cities/1").text == "1")
        }
    }

    @Test("A writer that outlives its answer cannot write into a later answer of the same connection")
    func lateWriter() async throws {
        let backend = LocalBackend()
        let first = Locked<LocalBackend.BodyWriter?>(nil)
        backend.get("/first") { _ in .stream { body in first.withLock { $0 = body } } }
        backend.get("/second") { _ in
            .stream { body in
                try await body.write("second")
                do {
                    try await first.withLock { $0 }?.write("first")
                } catch is CancellationError {
                    try await body.write(" alone")
                }
            }
        }
        try await backend.serve { client throws in
            #expect(try client.get("/first").text.isEmpty)
            #expect(try client.get("/second").text == "second alone")
        }
    }

    @Test("HEAD has the headers of GET and no body", arguments: ["/v1/cities", "/stream", "/missing", "/fails"])
    func head(path: String) async throws {
        try await ServingTests.cities().serve { client throws in
            var full = try client.get(path)
            client.send("HEAD \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            var head = try client.response(toHead: true)
            full.headers["Date"] = nil
            head.headers["Date"] = nil
            #expect(head.headers == full.headers)
            #expect(head.status == full.status)
            // If a body had come, it would be read as the next answer.
            #expect(try client.get("/v1/cities/1").text == "1")
        }
    }

    @Test("A client that waits for 100 Continue gets it before it sends its body")
    func expectContinue() async throws {
        try await ServingTests.cities().serve { client throws in
            client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
            #expect(try client.response().status == 100)
            client.send("hello")
            #expect(try client.response().text == "hello")
        }
    }

    @Test("A body that is too large is refused before it is sent, where the client asks")
    func expectContinueTooLarge() async throws {
        try await ServingTests.cities { $0.maximumBody = 4 }.serve { client throws in
            client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
            #expect(try client.response().status == 413)
        }
    }

    @Test(
        "A request that no route answers gets a status and a reason",
        arguments: [
            ("GET /missing", 404, "There is nothing at /missing."),
            ("DELETE /v1/cities", 405, "/v1/cities does not answer DELETE; it answers GET, HEAD, POST."),
            ("BREW /v1/cities", 501, "This server knows no method BREW."),
            ("GET /v1/cities/x", 400, "The id in /v1/cities/x is not a value of Int: x"),
            ("GET /refuses", 418, "No coffee."),
        ])
    func refusals(request: String, status: Int, reason: String) async throws {
        try await ServingTests.cities().serve { client throws in
            client.send("\(request) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let response = try client.response()
            #expect(response.status == status)
            #expect(try JSONDecoder().decode([String: String].self, from: response.body) == ["reason": reason])
            #expect((response.headers["Allow"] != nil) == (status == 405))
            #expect(try client.get("/v1/cities/1").text == "1")
        }
    }

    @Test("A handler that throws gives 500 with the reason")
    func throwing() async throws {
        try await ServingTests.cities().serve { client throws in
            let response = try client.get("/fails")
            #expect(response.status == 500)
            #expect(response.text.hasPrefix(#"{"reason":"The handler failed: "#))
        }
    }

    @Test(
        "Bytes that are no request are rejected, and the connection is closed in good order",
        arguments: [
            ("nonsense\r\n\r\n", 400), ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\nHost: a\n\n", 400),
            ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("GET /\(String(repeating: "a", count: 9_000)) HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
            ("GET / HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "a", count: 70_000))\r\n\r\n", 431),
            ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n", 413),
            ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
            ("GET / HTTP/2.0\r\n\r\n", 505),
        ])
    func rejections(text: String, status: Int) async throws {
        try await ServingTests.cities().serve { client throws in
            client.send(text)
            // More than the buffers of a socket hold. The server reads none of it, and its answer must arrive all the same.
            client.send([UInt8](repeating: 0x78, count: 2_000_000))
            client.endSending()
            let response = try client.response()
            #expect(response.status == status)
            #expect(response.headers["Connection"] == "close")
            #expect(client.readToEnd().ending == .closed)
        }
    }

    @Test("A client that has closed its side still gets its answers")
    func halfClosed() async throws {
        try await ServingTests.cities().serve { client throws in
            client.send(
                "GET /v1/cities/1 HTTP/1.1\r\nHost: localhost\r\n\r\nGET /v1/cities/2 HTTP/1.1\r\nHost: localhost\r\n\r\n"
            )
            client.endSending()
            #expect(try client.response().text == "1")
            #expect(try client.response().text == "2")
            #expect(client.readToEnd() == ("", .closed))
        }
    }

    @Test("The connection is closed after an answer where the client or the handler wants it so")
    func closing() async throws {
        let backend = ServingTests.cities()
        backend.get("/last") { _ in .text("bye", headers: ["Connection": "close"]) }
        try await backend.run { address in
            for request in [
                "GET /last HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                "GET /last HTTP/1.0\r\n\r\n",
            ] {
                let (text, ending) = try await onThread { () throws in
                    let client = try RawClient(address)
                    client.send(request)
                    return client.readToEnd()
                }
                #expect(text.contains("Connection: close\r\n") && text.hasSuffix("bye"))
                #expect(ending == .closed)
            }
        }
    }

    @Test("Requests are recorded as they reached the wire, the latest of them")
    func recording() async throws {
        let backend = ServingTests.cities { $0.recordedRequests = 2 }
        try await backend.serve { client throws in
            _ = try client.get("/v1/cities/1")
            _ = try client.get("/v1/cities/2?a=b", headers: "X-Token: t\r\n")
            client.send(post("/v1/cities", "body"))
            _ = try client.response()
        }
        let requests = backend.requests
        #expect(requests.map(\.path) == ["/v1/cities/2", "/v1/cities"])
        #expect(requests.first?.query["a"] == "b")
        #expect(requests.first?.parameters == ["id": "2"])
        #expect(requests.first?.headers["x-token"] == "t")
        #expect(requests.last?.method == .post)
        #expect(requests.last?.body == Data("body".utf8))
        backend.forgetRequests()
        #expect(backend.requests.isEmpty)
    }

    @Test("The largest numbers as limits mean that there is no limit")
    func unlimited() async throws {
        let backend = ServingTests.cities {
            ($0.maximumRequestLine, $0.maximumHeaders, $0.maximumBody) = (.max, .max, .max)
            ($0.idleTimeout, $0.requestTimeout) = (.seconds(Int64.max), .seconds(Int64.max))
            $0.recordedRequests = .max
        }
        try await backend.run { address in
            let text = try await onThread { () throws in
                let (slow, quick) = (try RawClient(address), try RawClient(address))
                // The server has read a part by the time that it answers the other client.
                for part in ["POST /ec", "ho HTTP/1.1\r\nHo", "st: localhost\r\nContent-Length: 3\r\n\r\nab"] {
                    slow.send(part)
                    #expect(try quick.get("/v1/cities/1").text == "1")
                }
                slow.send("c")
                return try slow.response().text
            }
            #expect(text == "abc")
        }
        #expect(backend.requests.count == 4)
    }

    @Test("Routes can be replaced while it runs")
    func replacing() async throws {
        let backend = ServingTests.cities()
        try await backend.run { address in
            backend.get("/v1/cities") { _ in .text("new") }
            let text = try await onThread { try RawClient(address).get("/v1/cities").text }
            #expect(text == "new")
        }
    }
}
