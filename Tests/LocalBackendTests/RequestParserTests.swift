import Foundation
import Testing

@testable import LocalBackend

@Suite("Parsing requests")
struct RequestParserTests {
    @Test("A request is its method, target, headers and body")
    func wholeRequest() throws {
        let request = try #require(
            parse("POST /v1/cities?page=2 HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nX-A:  b c \t\r\n\r\nbody")
                .onlyRequest)
        #expect(request.method == .post)
        #expect(request.target == "/v1/cities?page=2")
        #expect(request.path == "/v1/cities")
        #expect(request.query["page"] == "2")
        #expect(request.headers == ["Host": "a", "content-length": "4", "x-a": "b c"])
        #expect(request.body == Data("body".utf8))
    }

    @Test("The value of a field is UTF-8, or else Latin-1, and different values stay different")
    func latin1() {
        func value(_ bytes: [UInt8]) -> String? {
            let outputs = parse([Array("GET / HTTP/1.1\r\nHost: a\r\nX-A: ".utf8) + bytes + Array("\r\n\r\n".utf8)])
            return outputs.onlyRequest?.headers["X-A"]
        }
        #expect(value([0xE4]) == "ä")
        #expect(value([0xF6, 0xFF]) == "öÿ")
        #expect(value(Array("ä東".utf8)) == "ä東")
    }

    @Test("Requests that follow each other are told apart")
    func pipelined() {
        let outputs = parse(
            "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n" + post("/2", "two") + "GET /3 HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(outputs.requests.map(\.target) == ["/1", "/2", "/3"])
        #expect(outputs.requests.map(\.body.count) == [0, 3, 0])
        #expect(outputs.last == .needsMore)
    }

    @Test(
        "A chunked body is put together",
        arguments: [
            "5\r\nhello\r\n0\r\n\r\n", "1\r\nh\r\n04\r\nello\r\n000\r\n\r\n", "5;a=b;c=\"d\"\r\nhello\r\n0;x\r\n\r\n",
            "5 ; a\r\nhello\r\n0\r\nTrailer: gone\r\nAnother: one\r\n\r\n",
        ])
    func chunked(body: String) throws {
        let request = try #require(
            parse("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n" + body).onlyRequest)
        #expect(request.body == Data("hello".utf8))
        #expect(request.headers["Trailer"] == nil)
    }

    @Test("The bytes behind a chunked body are the next request")
    func chunkedThenMore() {
        let outputs = parse(
            "POST /1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\n0\r\n\r\n"
                + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(outputs.requests.map(\.target) == ["/1", "/2"])
        #expect(outputs.requests.first?.body == Data("0123456789".utf8))
    }

    @Test("Requests behind a large one are told apart, wherever the portions end in which they come")
    func behindLarge() {
        let large = post("/1", String(repeating: "x", count: 70_000))
        let bytes = Array((large + post("/2", "two") + post("/3", "three")).utf8)
        for end in large.utf8.count...bytes.count {
            let outputs = parse([bytes[..<end], bytes[end...]])
            #expect(outputs.requests.map(\.target) == ["/1", "/2", "/3"])
            #expect(outputs.requests.dropFirst().map(\.body) == [Data("two".utf8), Data("three".utf8)])
            #expect(outputs.last == .needsMore)
        }
    }

    @Test("An unfinished request needs more", arguments: [0, 1, 10, 30, 50])
    func unfinished(count: Int) {
        #expect(parse([post("/", "four").utf8.prefix(count)]) == [.needsMore])
    }

    @Test("One empty line before a request is overlooked, as some clients send one after a body")
    func emptyLineBefore() {
        #expect(parse("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n").requests.count == 1)
        #expect(parse("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n") == [.rejected(.malformedRequestLine)])
    }

    @Test("A client that expects 100 is told so once the head is there, and only then")
    func expectsContinue() {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n"
        #expect(parse(head) == [.expectsContinue, .needsMore])
        #expect(parse(head + "ok").first != .expectsContinue)
        #expect(parse(head.replacing("Content-Length: 2", with: "Content-Length: 0")).requests.count == 1)
    }

    @Test("HTTP/1.0 needs no Host, and keeps the connection only when it says so")
    func oldVersion() throws {
        let plain = try #require(parse("GET / HTTP/1.0\r\n\r\n").onlyRequest)
        #expect(plain.minorVersion == 0 && !plain.keepsAlive)
        #expect(try #require(parse("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").onlyRequest).keepsAlive)
        #expect(try #require(parse("GET / HTTP/1.1\r\nHost: a\r\n\r\n").onlyRequest).keepsAlive)
        #expect(
            try !#require(parse("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n").onlyRequest).keepsAlive)
        #expect(try !#require(parse("GET / HTTP/1.0\r\nConnection: \u{212A}eep-alive\r\n\r\n").onlyRequest).keepsAlive)
        #expect(try #require(parse("GET / HTTP/1.9\r\nHost: a\r\n\r\n").onlyRequest).minorVersion == 1)
    }

    @Test(
        "A malformed request line or target is rejected",
        arguments: [
            ("GET /\r\n", Rejection.malformedRequestLine), ("GET  HTTP/1.1\r\n", .malformedTarget),
            (" GET / HTTP/1.1\r\n", .malformedRequestLine), ("G(T / HTTP/1.1\r\n", .malformedRequestLine),
            ("GET / HTTP/1\r\n", .malformedRequestLine), ("GET / http/1.1\r\n", .malformedRequestLine),
            ("GET / HTTP/1.1 \r\n", .malformedRequestLine), ("GET / HTTP/11\r\n", .malformedRequestLine),
            ("\u{16}\u{3}\u{1}", .malformedRequestLine), ("{", .malformedRequestLine),
            ("GET / HTTP/2.0\r\n", .unsupportedVersion), ("GET / HTTP/0.9\r\n", .unsupportedVersion),
            ("PRI * HTTP/2.0\r\n", .unsupportedVersion), ("CONNECT a:1 HTTP/1.1\r\n", .unsupportedMethod),
            ("GET a HTTP/1.1\r\n", .malformedTarget), ("GET /a b HTTP/1.1\r\n", .malformedTarget),
            ("GET /a#b HTTP/1.1\r\n", .malformedTarget), ("GET /a%2 HTTP/1.1\r\n", .malformedTarget),
            ("GET /a%zz HTTP/1.1\r\n", .malformedTarget), ("GET /ä HTTP/1.1\r\n", .malformedTarget),
            ("GET /a\u{0} HTTP/1.1\r\n", .malformedTarget), ("GET /a\u{7F} HTTP/1.1\r\n", .malformedTarget),
            ("GET ftp://a/ HTTP/1.1\r\n", .malformedTarget), ("GET http:// HTTP/1.1\r\n", .malformedTarget),
            ("GET / HTTP/1.1\n", .malformedLineEnd),
            ("GET / HTTP/1.1\r\r\n", .malformedRequestLine), ("\n", .malformedLineEnd),
        ])
    func malformedRequestLine(text: String, rejection: Rejection) {
        #expect(parse(text) == [.rejected(rejection)])
    }

    @Test(
        "A malformed header is rejected",
        arguments: [
            ("Host: a\r\nX : b", Rejection.malformedHeader), ("Host: a\r\nX", .malformedHeader),
            ("Host: a\r\n: b", .malformedHeader), ("Host: a\r\nX\u{0}: b", .malformedHeader),
            ("Host: a\r\nX: b\u{0}", .malformedHeader), ("Host: a\r\nX: b\rY: c", .malformedHeader),
            ("Host: a\r\nÜ: b", .malformedHeader), ("Host: a\r\nX: b\r\n Y: c", .foldedHeader),
            (" Host: a", .foldedHeader), ("Host: a\r\nX: b\nY: c", .malformedLineEnd),
            ("X: b", .malformedHost), ("Host: a\r\nHost: a", .malformedHost), ("Host: a/b", .malformedHost),
            ("Host: a b", .malformedHost), ("Host: a\r\nExpect: tea", .unsupportedExpectation),
        ])
    func malformedHeaders(headers: String, rejection: Rejection) {
        #expect(parse("GET / HTTP/1.1\r\n\(headers)\r\n\r\n") == [.rejected(rejection)])
    }

    @Test(
        "Where the end of a body could be read in two ways, the request is rejected",
        arguments: [
            ("Content-Length: 1\r\nTransfer-Encoding: chunked", Rejection.conflictingFraming),
            ("Content-Length: 1\r\nContent-Length: 2", .malformedContentLength),
            ("Content-Length: 1, 2", .malformedContentLength), ("Content-Length: -1", .malformedContentLength),
            ("Content-Length: +1", .malformedContentLength), ("Content-Length: 0x1", .malformedContentLength),
            ("Content-Length: 1 1", .malformedContentLength), ("Content-Length:", .malformedContentLength),
            ("Content-Length: 99999999999999999999999", .bodyTooLarge),
            ("Transfer-Encoding: chunked, chunked", .malformedTransferEncoding),
            ("Transfer-Encoding: chunked, gzip", .malformedTransferEncoding),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", .malformedTransferEncoding),
            ("Transfer-Encoding:", .malformedTransferEncoding),
            ("Transfer-Encoding: gzip, chunked", .unsupportedTransferEncoding),
            ("Transfer-Encoding: xchunked", .unsupportedTransferEncoding),
            // The Kelvin sign, whose lowercase letter is k.
            ("Transfer-Encoding: chun\u{212A}ed", .unsupportedTransferEncoding),
            ("Transfer-Encoding: chunked;q=1", .unsupportedTransferEncoding),
        ])
    func smuggling(headers: String, rejection: Rejection) {
        #expect(parse("POST / HTTP/1.1\r\nHost: a\r\n\(headers)\r\n\r\n") == [.rejected(rejection)])
    }

    @Test("Transfer-Encoding is not a part of HTTP/1.0")
    func chunkedInOldVersion() {
        #expect(
            parse("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n") == [.rejected(.malformedTransferEncoding)])
    }

    @Test("A length that is given twice, but equal, is taken once")
    func equalLengths() {
        #expect(
            parse("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok").onlyRequest?.body
                == Data("ok".utf8))
    }

    @Test(
        "A malformed chunk is rejected",
        arguments: [
            ("x\r\n", Rejection.malformedChunk), ("\r\n", .malformedChunk), ("-1\r\n", .malformedChunk),
            ("5 \r\nhello\r\n", .malformedChunk), (" 5\r\n", .malformedChunk), ("0x5\r\n", .malformedChunk),
            ("5\r\nhelloX\r\n", .malformedChunk), ("5\r\nhello\n0\r\n", .malformedLineEnd),
            ("5\nhello", .malformedLineEnd), ("5;\u{1}\r\n", .malformedChunk),
            ("fffffffffffffffff\r\n", .bodyTooLarge), ("7fffffffffffffff\r\n", .bodyTooLarge),
            ("0\r\nbad trailer\r\n\r\n", .malformedHeader), ("0\r\n folded: a\r\n\r\n", .foldedHeader),
        ])
    func malformedChunks(body: String, rejection: Rejection) {
        #expect(
            parse("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + body) == [.rejected(rejection)])
    }

    @Test("A request line, headers or a body beyond their limits are rejected, and those that just fit are not")
    func limits() {
        let limits = RequestParser.Limits(requestLine: 20, headers: 100, body: 5)
        let line = "GET /" + String(repeating: "a", count: 6) + " HTTP/1.1"
        #expect(parse(line + "\r\nHost: a\r\n\r\n", limits).requests.count == 1)
        #expect(parse("GET /" + line.dropFirst(4) + "\r\n", limits) == [.rejected(.targetTooLong)])
        #expect(parse(String(repeating: "G", count: 22), limits) == [.rejected(.targetTooLong)])

        // Each field counts 32 bytes beyond its text.
        let head = "GET / HTTP/1.1\r\nHost: a\r\nX: "
        #expect(parse(head + String(repeating: "x", count: 26) + "\r\n\r\n", limits).requests.count == 1)
        #expect(parse(head + String(repeating: "x", count: 27) + "\r\n\r\n", limits) == [.rejected(.headersTooLarge)])
        #expect(parse(head + String(repeating: "x", count: 70), limits) == [.rejected(.headersTooLarge)])

        #expect(parse(post("/", "12345"), limits).requests.count == 1)
        #expect(parse(post("/", "123456"), limits) == [.rejected(.bodyTooLarge)])
        let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(parse(chunked + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", .init(body: 5)).requests.count == 1)
        #expect(parse(chunked + "3\r\nabc\r\n3\r\ndef\r\n", .init(body: 5)) == [.rejected(.bodyTooLarge)])
        #expect(
            parse(chunked + "1;" + String(repeating: "x", count: 2_000), .init(body: 5)) == [.rejected(.malformedChunk)]
        )
    }

    @Test("The limit of headers counts for each request of a connection, and each may have an empty line before it")
    func limitsOfEach() {
        let request = "\r\nGET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 26) + "\r\n\r\n"
        let outputs = parse(String(repeating: request, count: 3), .init(requestLine: 20, headers: 100, body: 5))
        #expect(outputs.requests.count == 3 && outputs.last == .needsMore)
    }

    @Test("A rejection is final, whatever comes after it")
    func rejectionIsFinal() {
        var parser = RequestParser()
        parser.append(Array("nonsense\r\n".utf8))
        #expect(parser.next() == .rejected(.malformedRequestLine))
        parser.append(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        #expect(parser.next() == .rejected(.malformedRequestLine))
    }

    @Test("Every rejection has a status for errors, and a reason that is a sentence", arguments: Rejection.allCases)
    func rejections(rejection: Rejection) {
        #expect([400, 408, 413, 414, 417, 431, 501, 505].contains(rejection.status))
        #expect(rejection.reason.hasSuffix("."))
    }
}

func parse(_ text: some StringProtocol, _ limits: RequestParser.Limits = .init()) -> [RequestParser.Output] {
    parse([Array(text.utf8)], limits)
}

/// All outputs for bytes that arrive in portions: requests, and what is said at the end.
func parse(_ portions: [some Collection<UInt8>], _ limits: RequestParser.Limits = .init()) -> [RequestParser.Output] {
    var parser = RequestParser(limits: limits)
    var outputs: [RequestParser.Output] = []
    for portion in portions {
        parser.append(portion)
        if outputs.last == .needsMore { outputs.removeLast() }
        while true {
            let output = parser.next()
            outputs.append(output)
            if output == .needsMore { break }
            if case .rejected = output { return outputs }
        }
    }
    return outputs
}

func post(_ target: String, _ body: String) -> String {
    "POST \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
}

extension [RequestParser.Output] {
    var requests: [LocalBackend.Request] {
        compactMap { if case .request(let request) = $0 { request } else { nil } }
    }

    var onlyRequest: LocalBackend.Request? { requests.count == 1 ? requests[0] : nil }
}
