import Foundation
import Testing

@testable import LocalBackend

@Suite("Requests and responses as values")
struct ValueTests {
    @Test("Headers are found in any case, keep their order, and may repeat")
    func headers() {
        var headers: LocalBackend.Headers = ["Accept": "a, b", "X-Y": "1"]
        headers.add("ACCEPT", "c")
        #expect(headers["accept"] == "a, b")
        #expect(headers.values(of: "Accept") == ["a, b", "c"])
        #expect(headers.list("Accept") == ["a", "b", "c"])
        let other: LocalBackend.Headers = ["X-Y": "2", "accept": "a, b"]
        #expect(headers.fields[0] == other.fields[1])
        #expect(headers.fields[0] != headers.fields[2] && headers.fields[1] != other.fields[0])
        #expect(headers.fields[1] != LocalBackend.Headers(dictionaryLiteral: ("X-Z", "1")).fields[0])
        headers["x-y"] = nil
        headers["accept"] = "d"
        #expect(headers.fields.map(\.name) == ["accept"])
    }

    @Test("A query is percent-decoded, keeps repetitions, and reads + as a space")
    func query() {
        let query = LocalBackend.Query("a=1&b=x+y%2Bz&a=2&empty&%C3%A4=%F0%9F%8E%88&=&c=d=e&n+m=3")
        #expect(query["a"] == "1")
        #expect(query.values(of: "a") == ["1", "2"])
        #expect(query["b"] == "x y+z")
        #expect(query["empty"] == "")
        #expect(query["ä"] == "🎈")
        #expect(query["c"] == "d=e")
        #expect(query["n m"] == "3")
        #expect(query["missing"] == nil)
    }

    @Test("Bytes of a query that are not UTF-8 are replaced, not fatal")
    func invalidText() {
        #expect(LocalBackend.Query("a=%FF")["a"] == "\u{FFFD}")
    }

    @Test(
        "A date is written as HTTP asks",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        ])
    func dates(seconds: Int, text: String) {
        #expect(httpDate(secondsSince1970: seconds) == text)
    }

    @Test("JSON that cannot be encoded gives 500 with the reason")
    func unencodable() {
        let response = LocalBackend.Response.json([Double.nan])
        #expect(response.status == 500)
        #expect(response.text.contains("cannot be encoded"))
    }

    @Test("A body that is not the JSON asked for is refused with 400, and so is a parameter that does not convert")
    func refusals() throws {
        var request = LocalBackend.Request(method: .get, target: "/a/x", minorVersion: 1)
        request.body = Data("{".utf8)
        request.parameters = ["id": "x", "number": "7"]
        #expect(throws: LocalBackend.Refusal.self) { try request.decode([Int].self) }
        #expect(throws: LocalBackend.Refusal(400, "The id in /a/x is not a value of Int: x")) {
            try request.parameter("id", as: Int.self)
        }
        #expect(try request.parameter("number") == 7)
    }

    @Test("A tagged response is 304 without a body for a client that has it")
    func etag() throws {
        var request = LocalBackend.Request(method: .get, target: "/", minorVersion: 1)
        let full = LocalBackend.Response.json([1]).tagged(for: request)
        let tag = try #require(full.headers["ETag"])
        #expect(full.status == 200)
        #expect(LocalBackend.Response.json([2]).tagged(for: request).headers["ETag"] != tag)
        for known in [tag, "\"x\", W/\(tag)", "*"] {
            request.headers["If-None-Match"] = known
            let short = LocalBackend.Response.json([1]).tagged(for: request)
            #expect(short.status == 304)
            #expect(short.headers["ETag"] == tag)
            #expect(short.text.isEmpty)
        }
        for unknown in ["\"x\"", "", "\"", tag.replacing("\"", with: ""), "\"x, \(tag)"] {
            request.headers["If-None-Match"] = unknown
            #expect(LocalBackend.Response.json([1]).tagged(for: request).status == 200, "\(unknown)")
        }
        // A tag of the handler's own, with a comma.
        var versioned = LocalBackend.Response.json([1])
        versioned.headers["ETag"] = "\"a, b\""
        for (known, status) in [("\"a, b\"", 304), ("W/\"x\",W/\"a, b\"", 304), ("\"a\", \"b\"", 200)] {
            request.headers["If-None-Match"] = known
            #expect(versioned.tagged(for: request).status == status, "\(known)")
        }
    }

    @Test(
        "A status or a header that HTTP does not allow becomes 500, and cannot be smuggled in",
        arguments: [
            LocalBackend.Response.status(42), .status(100), .status(200, headers: ["X": "a\r\nY: b"]),
            .status(200, headers: ["X Y": "a"]), .redirect(to: "/\n"),
        ])
    func unfitResponses(response: LocalBackend.Response) {
        #expect(head(of: response).hasPrefix("HTTP/1.1 500 "))
    }

    @Test("Length, framing and connection are the server's own to say; Date and Server can be replaced")
    func ownHeaders() {
        let text = head(
            of: .text(
                "abc",
                headers: [
                    "Content-Length": "99", "transfer-encoding": "gzip", "Connection": "upgrade", "Server": "Mine",
                ]))
        #expect(text.contains("Content-Length: 3\r\n"))
        #expect(text.contains("Server: Mine\r\n") && !text.contains("LocalBackend"))
        #expect(text.contains("Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"))
        #expect(!text.contains("gzip") && !text.contains("upgrade"))
    }

    @Test("A stream of a stated length says it, and a negative one is none", arguments: [(0, 0), (3, 3), (-3, 0)])
    func streamLength(length: Int, stated: Int) {
        #expect(head(of: .stream(length: length) { _ in }).contains("Content-Length: \(stated)\r\n"))
    }

    @Test("A moment has its date from the beginning, and a new one after each second")
    func moment() {
        var moment = Moment(instant: .now, second: 0)
        #expect(moment.date == "Thu, 01 Jan 1970 00:00:00 GMT")
        moment.update(instant: .now, second: 1)
        #expect(moment.date == "Thu, 01 Jan 1970 00:00:01 GMT")
    }

    @Test("An answer without a body says nothing of a length", arguments: [204, 304])
    func bodiless(status: Int) {
        let text = head(of: .status(status))
        #expect(!text.contains("Content-Length") && !text.contains("Transfer-Encoding"))
    }

    @Test(
        "An error of the backend is a sentence",
        arguments: [
            BackendError.portInUse(80), .portNotAllowed(80), .invalidPort(-1), .invalidHost("x"),
            .alreadyRunning(URL(filePath: "/")), .system(call: "pipe", reason: "Too many open files"),
        ])
    func errors(error: BackendError) {
        #expect(error.description.hasSuffix("."))
        #expect(error.localizedDescription == error.description)
    }

    private func head(of response: LocalBackend.Response) -> String {
        let request = LocalBackend.Request(method: .get, target: "/", minorVersion: 1)
        return String(
            decoding: Answer(response, to: request).head(
                persists: true, date: httpDate(secondsSince1970: 0), minorVersion: 1), as: UTF8.self)
    }
}

extension LocalBackend.Response {
    fileprivate var text: String {
        guard case .data(let data) = body else { return "" }
        return String(decoding: data, as: UTF8.self)
    }
}
