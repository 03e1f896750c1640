import Canned
import Foundation
import Networking
import Presentation
import Testing

@testable import Recordings

@Suite("The file of a recording")
struct RecordingCodingTests {
    private func run(_ entries: [Recording.Entry]) -> Recording.Run {
        Recording.Run(features: [], time: .distantPast, seed: 1, services: [:], entries: entries)
    }

    /// Returns the file of a recording, in which a text is replaced by another one.
    private func damaged(_ run: Recording.Run, _ text: String, _ other: String) throws -> RecordingError? {
        let file = String(decoding: try Recording(runs: [run]).data(), as: UTF8.self)
        #expect(file.contains(text), "\(file)")
        return #expect(throws: RecordingError.self) { try Recording(Data(file.replacing(text, with: other).utf8)) }
    }

    @Test("An answer is replayed as it came")
    func answers() throws {
        let query = [("page", "1"), ("empty", ""), ("none", nil)].map { URLQueryItem(name: $0, value: $1) }
        let outcomes: [CannedAnswer.Outcome] = [
            .response(status: 404, headers: ["ETag": "7"], body: Data("Text.".utf8)),
            .response(status: 200, headers: [:], body: Data([0xFF, 0, 1])),
            .response(status: 204, headers: [:], body: Data()),
            .failure(.network(NetworkFailure(.bodyTooLarge(limit: 7), url: "https://a", detail: "Long."))),
            .failure(.network(NetworkFailure(.offline))),
            .failure(.status(StatusFailure(code: 503, body: Data("Busy.".utf8), request: "GET /a"))),
        ]
        let run = run(
            outcomes.map { .answer(Recording.Answer(CannedAnswer(.PUT, "/a b", query: query, outcome: $0))) })
        let read = try Recording(Recording(runs: [run]).data()).runs[0]
        #expect(read == run)
        let replayed = read.entries.compactMap { entry in
            if case .answer(let answer) = entry { answer.canned } else { nil }
        }
        for answer in replayed { #expect(answer.method == .PUT && answer.path == "/a b" && answer.query == query) }
        #expect(replayed.map { "\($0.outcome)" } == outcomes.map { "\($0)" })
    }

    @Test("A failure without a kind of its own is replayed as its description, and an unknown reason as another one")
    func otherFailures() {
        #expect(Recording.Failure(.cancelled).error == .request(RequestFailure("\(CoreError.cancelled)")))
        let unknown = Recording.Failure.network(reason: "meteorite", code: 7, url: "https://a", detail: "Cut.")
        #expect(unknown.error == .network(NetworkFailure(.other(code: 0), url: "https://a", detail: "Cut.")))
    }

    @Test("An answer that says nothing but its request has the status 200 and no body")
    func leastAnswer() {
        let answer = Recording.Answer(method: "GET", path: "/", query: [[], ["a"]], headers: [:])
        #expect(answer.canned.query == [.init(name: "", value: nil), .init(name: "a", value: nil)])
        guard case .response(200, let headers, let body) = answer.canned.outcome else {
            Issue.record("\(answer.canned.outcome)")
            return
        }
        #expect(headers.isEmpty && body.isEmpty)
    }

    @Test("The end of a run is read as it was written", arguments: [true, false])
    func end(endsBusy: Bool) throws {
        var run = run([])
        run.endsBusy = endsBusy
        for unanswered in [nil, [], [Recording.Request(method: "GET", path: "/a", query: [["b"]])]] {
            run.unanswered = unanswered
            #expect(try Recording(Recording(runs: [run]).data()).runs == [run])
        }
    }

    @Test(
        "An act that is not one act on one control is damaged",
        arguments: [
            "", #""uses": "More", "types": "Ada", "into": "Name""#, #""types": "Ada""#, #""into": "Name""#,
            #""place": 1"#,
        ])
    func malformedAct(fields: String) throws {
        let error = try damaged(run([.act(.uses("More"))]), #""uses" : "More""#, fields)
        #expect(
            error?.description.contains(#"at runs[0].entries[0].act: An act needs "uses", or "types" and "into"."#)
                == true, "\(error?.description ?? "")")
    }

    @Test("The place of a control is less than a million")
    func places() throws {
        let last = run([.act(.uses("More", place: 999_999))])
        #expect(try Recording(Recording(runs: [last]).data()).runs == [last])
        let error = try damaged(last, "999999", "1000000")
        #expect(error?.description.contains("There is no control at this place.") == true)
    }

    @Test("A file that cannot be read is named")
    func missingFile() {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()) of Ada.json")
        let error = #expect(throws: RecordingError.self) { try Recording(contentsOf: file) }
        #expect(error == .cannotReadFile(file.path(percentEncoded: false)))
        #expect(error?.description.contains(" of Ada.json cannot be read.") == true)
    }
}
