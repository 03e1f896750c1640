import FeedbackTesting
import Foundation
import Networking
import Testing

@testable import Canned

@Suite("The text of canned answers")
struct CannedFormatTests {
    private func text(_ json: String) throws -> JSONText { try JSONText(Data(json.utf8), name: "A test") }

    // MARK: - JSON

    @Test("Each member and element has a line, and what stands on it stays as it was written")
    func indented() throws {
        let json = try text(
            " {\"a\\\"b\" :[1.0 , -2e+3,\t{\"c\": null } ],\r\n \"d\":{ } ,\"e\":[ ], \"{[,\" : \"]}:,\\\\\"} ")
        #expect(
            String(decoding: json.indented(), as: UTF8.self) == #"""
                {
                  "a\"b": [
                    1.0,
                    -2e+3,
                    {
                      "c": null
                    }
                  ],
                  "d": {},
                  "e": [],
                  "{[,": "]}:,\\"
                }
                """#)
        #expect(
            String(decoding: json.compact, as: UTF8.self)
                == #"{"a\"b":[1.0,-2e+3,{"c":null}],"d":{},"e":[],"{[,":"]}:,\\"}"#)
        #expect(String(decoding: try text("[7]").indented(by: 1), as: UTF8.self) == "[\n 7\n]")
    }

    @Test(
        "Numbers and texts keep their digits and escapes",
        arguments: ["-0", "0.10", "1e400", "12345678901234567890123", #""\u0041\/\ud800""#, #"{"é\n":"é"}"#])
    func unchanged(json: String) throws {
        #expect(String(decoding: try text(json).compact, as: UTF8.self) == json)
    }

    @Test("A secret is found in a text that no program can read, too")
    func secretBesideHalfASurrogatePair() throws {
        let json = try text(#"{"note": "\ud800 of tok-12345", "other": "\ud800"}"#)
        let scrubber = Scrubber(["tok-12345"], redaction: Redaction())
        let written = String(decoding: json.indented(redacting: scrubber), as: UTF8.self)
        #expect(!written.contains("12345"))
        #expect(written.contains(#""other": "\ud800""#))
    }

    @Test("The members of an object come in their order, with their whole values")
    func members() throws {
        let members = try #require(
            try text("{ \"z\" : {\"x\": [1, {}], \"y\":\"}\"} , \"\\u0061\\n\":true,\"b\": [ [2] ] }").members)
        #expect(members.map(\.name) == ["z", "a\n", "b"])
        #expect(
            members.map { String(decoding: $0.value.compact, as: UTF8.self) }
                == [#"{"x":[1,{}],"y":"}"}"#, "true", "[[2]]"])
        #expect(try text("{}").members?.isEmpty == true)
        #expect(try text("[{}]").members == nil)
    }

    // MARK: - Files

    @Test("An answer is written with what it has, and read from its file as it was")
    func files() throws {
        let answers: [(CannedAnswer, String)] = [
            (
                CannedAnswer(.GET, "/v1/cities", body: #"{"n": 1.0}"#),
                #"{"request":{"method":"GET","path":"/v1/cities"},"response":{"status":200,"headers":{"Content-Type":"application/json"},"body":{"n":1.0}}}"#
            ),
            (
                CannedAnswer(
                    .POST, "/a b", query: [.init(name: "x", value: "1"), .init(name: "y", value: nil)], status: 404,
                    headers: [:], body: "no JSON"),
                #"{"request":{"method":"POST","path":"/a b","query":{"x":"1","y":""}},"response":{"status":404,"text":"no JSON"}}"#
            ),
            (
                CannedAnswer(
                    .GET, "/photo", query: [.init(name: "x", value: "1"), .init(name: "x", value: "2")],
                    outcome: .response(status: 200, headers: [:], body: Data([0xFF, 0]))),
                #"{"request":{"method":"GET","path":"/photo","query":{"x":["1","2"]}},"response":{"status":200,"base64":"/wA="}}"#
            ),
            (
                CannedAnswer(.DELETE, "/v1/cities/1", status: 204, headers: [:]),
                #"{"request":{"method":"DELETE","path":"/v1/cities/1"},"response":{"status":204}}"#
            ),
            (
                CannedAnswer(.GET, "/", failing: .network(NetworkFailure(.timedOut, url: "https://a", detail: "late"))),
                #"{"request":{"method":"GET","path":"/"},"failure":{"reason":"timedOut","url":"https://a","detail":"late"}}"#
            ),
            (
                CannedAnswer(.GET, "/", failing: .network(NetworkFailure(.other(code: 7)))),
                #"{"request":{"method":"GET","path":"/"},"failure":{"reason":"other","code":7}}"#
            ),
        ]
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        for (answer, written) in answers {
            let data = try CannedFile.data(for: answer)
            #expect(String(decoding: try text(String(decoding: data, as: UTF8.self)).compact, as: UTF8.self) == written)
            #expect(data.last == UInt8(ascii: "\n"))
            try data.write(to: file)
            let read = try CannedFile.answer(in: file)
            #expect(read.description.hasSuffix("(\(file.lastPathComponent))"))
            #expect(try CannedFile.data(for: read) == data)
        }
    }

    @Test("A path without a method is that of a GET, and an answer without a response has no content")
    func leastFile() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(#"{"request": {"path": "/v1/cities"}}"#.utf8).write(to: file)
        let answer = try CannedFile.answer(in: file)
        guard answer.method == .GET, case .response(200, let headers, let body) = answer.outcome else {
            Issue.record("\(answer.outcome)")
            return
        }
        #expect(headers.isEmpty && body.isEmpty)
    }

    @Test("A failure of another kind has the code 0 unless the file says another")
    func failureWithoutCode() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(#"{"request": {"path": "/"}, "failure": {"reason": "other"}}"#.utf8).write(to: file)
        guard case .failure(let error) = try CannedFile.answer(in: file).outcome else {
            Issue.record("It is not a failure.")
            return
        }
        #expect(error == .network(NetworkFailure(.other(code: 0))))
    }

    @Test("A body of JSON has the type of JSON, unless the file says another")
    func contentType() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        for (fields, type) in [("", "application/json"), (#""headers": {"content-type": "text/x"}, "#, "text/x")] {
            try Data(#"{"request": {"path": "/"}, "response": {\#(fields)"body": []}}"#.utf8).write(to: file)
            guard case .response(_, let headers, _) = try CannedFile.answer(in: file).outcome else { continue }
            #expect(headers["Content-Type"] == type)
        }
    }

    @Test("The name of a file has the method and the path, and a number from the second one on")
    func names() {
        let names = CannedFileNames()
        #expect(names.fileName(for: CannedAnswer(.GET, "/v1/cities")) == "get-v1-cities.json")
        #expect(names.fileName(for: CannedAnswer(.GET, "/V1/Cities")) == "get-V1-Cities.2.json")
        #expect(names.fileName(for: CannedAnswer(.GET, "/v1/cities")) == "get-v1-cities.3.json")
        #expect(names.fileName(for: CannedAnswer(.PUT, "/a/\(Redaction.mark)/ü")) == "put-a-redacted-ü.json")
        // As long as it may be, and one byte more.
        let path = "/" + String(repeating: "a", count: 116)
        #expect(names.fileName(for: CannedAnswer(.GET, path)) == "get-\(path.dropFirst()).json")
        let long = names.fileName(for: CannedAnswer(.GET, path + "b"))
        #expect(long.hasPrefix("get-\(String(repeating: "a", count: 96))-") && long.utf8.count < 125)
    }

    // MARK: - Requests

    @Test(
        "A mark stands for any text, also for none, and the text around it for itself",
        arguments: [
            ("/a/*", "/a/b", true), ("/a/*", "/a/", true), ("/a/*", "/b/a/", false), ("*/a", "/b/a", true),
            ("/a*a", "/aa", true), ("/a*a", "/a", false), ("/a*b", "/a/c", false), ("/*b*c", "/xbyc", true),
            ("/*b*c", "/xyc", false), ("/*b*b*c", "/bc", false), ("/**", "/", true), ("/a", "/a", true),
            ("/a", "/ab", false),
        ])
    func marks(pattern: String, path: String, fits: Bool) async throws {
        let backend = CannedBackend([
            CannedAnswer(.GET, pattern.replacing("*", with: Redaction.mark), status: 204, headers: [:])
        ])
        let url = try #require(URL(string: "https://a.example\(path)"))
        let answer = try? await backend.send(TransportRequest(url: url))
        #expect((answer != nil) == fits)
    }

    @Test("Of the answers that do not fit, those with the path come first, then those with the method and the query")
    func likeliest() async throws {
        let backend = CannedBackend([
            CannedAnswer(.POST, "/other", query: [.init(name: "page", value: "1")]), CannedAnswer(.GET, "/other"),
            CannedAnswer(.POST, "/cities"), CannedAnswer(.GET, "/cities"),
            CannedAnswer(.GET, "/cities", query: [.init(name: "page", value: "2")]),
            CannedAnswer(.GET, "/cities", query: [.init(name: "page", value: "1"), .init(name: "sort", value: "a")]),
        ])
        let url = try #require(URL(string: "https://a.example/cities?page=1"))
        let error = await failure { () async throws(CoreError) in
            _ = try await backend.send(TransportRequest(url: url))
        }
        guard case .request(let failure) = error else { return recordUnexpected(error) }
        let lines = failure.reason.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(
            lines.dropFirst().prefix(5).map { $0.replacing(" (code)", with: "") } == [
                "GET /cities", "GET /cities?page=1&sort=a", "GET /cities?page=2", "POST /cities", "GET /other",
            ])
        #expect(lines.last == #"The request has "query":{"page":"1"}"#)
    }

    @Test("The query of the request is shown only if it is all that differs")
    func otherMethod() async throws {
        for answer in [CannedAnswer(.POST, "/cities"), CannedAnswer(.GET, "/films")] {
            let url = try #require(URL(string: "https://a.example/cities?page=1"))
            let error = await failure { () async throws(CoreError) in
                _ = try await CannedBackend([answer]).send(TransportRequest(url: url))
            }
            guard case .request(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason.hasSuffix("the likeliest first:\n  \(answer)"))
        }
    }

    // MARK: - Messages

    @Test("A question mark in a path is told from the beginning of a query, and the error says how to give one")
    func questionMark() async throws {
        typealias Numbers = BackendResource<Void, [Int], NoAuth>
        let query = [URLQueryItem(name: "page", value: "2")]
        for (path, answer) in [
            ("/v1/cities?page=2", CannedAnswer(.GET, "/v1/cities", query: query)),
            ("/v1/cities", CannedAnswer(.GET, "/v1/cities?page=2")),
        ] {
            let backend = CannedBackend([answer])
            let resource = Numbers(path: .api(.core, path), method: .GET, query: path.contains("?") ? [] : query)
            let error = await failure { () async throws(CoreError) in try await backend.session().access(resource) }
            guard case .request(let failure) = error else { return recordUnexpected(error) }
            let texts = backend.requests.map { "\($0) " } + ["\(answer)"]
            #expect(texts.count { $0.hasPrefix("GET /v1/cities?page=2 ") } == 1)
            #expect(texts.count { $0.hasPrefix("GET /v1/cities%3Fpage=2 ") } == 1)
            #expect(failure.reason.contains("give it as `query`"), "\(failure.reason)")
        }
    }
}
