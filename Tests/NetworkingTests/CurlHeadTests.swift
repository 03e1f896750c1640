#if os(Linux)
import FeedbackTesting
import Foundation
import Testing

@testable import Networking

@Suite("Heads of answers")
struct CurlHeadTests {
    private func head(of text: String) throws -> CurlHead {
        var head = CurlHead()
        for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            try (Array(line) + [UInt8(ascii: "\n")]).withUnsafeBytes { try head.receive($0) }
        }
        return head
    }

    @Test("A length is a number of digits, which may be repeated", arguments: ["5", "5, 5", "5,5\t, 5", " 5 "])
    func length(text: String) throws {
        #expect(try head(of: "HTTP/1.1 200 OK\r\nContent-Length: \(text)\r\n\r").length == 5)
    }

    @Test(
        "Any other length is refused, which libcurl would read as another number",
        arguments: [
            "+5", "-5", "0x5", "5, 6", "5,", ",", "", "5 apples", "5 5", "five", "٥", "18446744073709551616",
            "9223372036854775808", "5;5", "5.0", "5e0",
        ])
    func otherLength(text: String) {
        #expect(throws: CurlHead.Malformed()) {
            try head(of: "HTTP/1.1 200 OK\r\nContent-Length: \(text)\r\n\r")
        }
    }

    @Test("A length of an interim answer says nothing")
    func interimLength() throws {
        let head = try head(of: "HTTP/1.1 103 Early\r\nContent-Length: x\r\n\r\nHTTP/1.1 200 OK\r\n\r")
        #expect(head.status == 200)
        #expect(head.length == nil)
    }

    @Test(
        "A head has one line of status, which is its first",
        arguments: [
            "HTTP/1.1 404 Not Found\r\nHTTP/1.1 200 OK: x\r\n\r", "X: y\r\nHTTP/1.1 200 OK\r\n\r",
            "HTTP/1.1 100 Continue\r\nHTTP/1.1 200 OK: x\r\n\r", "HTTP/1.1 100 Continue\r\n\r\nX: y\r\n\r",
        ])
    func statusLines(text: String) {
        #expect(throws: CurlHead.Malformed()) { try head(of: text) }
    }

    @Test(
        "A value that is not UTF-8 is Latin-1, so that two which differ are different",
        arguments: [
            ([0xE9], "é"), ([0x22, 0xE8, 0x22], "\"è\""), (Array("é 日".utf8), "é 日"),
            ([0xE9] + Array("日".utf8), "éæ\u{97}¥"),
            ([0x80, 0xFF], "\u{80}ÿ"), ([0x61, 0xC3], "aÃ"),
        ] as [([UInt8], String)])
    func latin1(bytes: [UInt8], text: String) throws {
        var head = CurlHead()
        for line in [Array("HTTP/1.1 200 OK\r\n".utf8), Array("X: ".utf8) + bytes + Array("\r\n".utf8), [13, 10]] {
            try line.withUnsafeBytes { try head.receive($0) }
        }
        #expect(head.isComplete && head.fields["X"] == text)
    }

    @Test("A carriage return or a zero byte within a value is refused", arguments: ["a\rContent-Length: 3", "a\0b"])
    func control(value: String) {
        #expect(throws: CurlHead.Malformed()) { try head(of: "HTTP/1.1 200 OK\r\nX: \(value)\r\n\r") }
    }

    @Test("Values are read without the blanks around them; repeated and continued fields are joined")
    func fields() throws {
        let text = "HTTP/1.1 200 OK\r\nA: \t x y \t\r\nB:1\r\nb: 2\r\nC: 3\r\n  4\r\n\t5\r\nD:\r\n\r"
        #expect(try head(of: text).fields == ["A": "x y", "B": "1, 2", "C": "3 4 5", "D": ""])
    }

    @Test(
        "A line that is not a field is refused",
        arguments: [
            " continues nothing", "X", ": y", "X Y: z", "X\u{7F}: z", "X\t: z",
            "Content-Length: 1\r\nContent-Length: 2",
        ])
    func noField(line: String) {
        #expect(throws: CurlHead.Malformed()) { try head(of: "HTTP/1.1 200 OK\r\n\(line)\r\n\r") }
    }

    @Test("A field of the final head is not continued from an interim one")
    func continuedInterim() {
        #expect(throws: CurlHead.Malformed()) {
            try head(of: "HTTP/1.1 103 Early\r\nX: y\r\n\r\nHTTP/1.1 200 OK\r\n z\r\n\r")
        }
    }

    @Test(
        "A status has three digits, with words after it or none",
        arguments: [("HTTP/1.1 200 It is fine", 200), ("HTTP/2 204", 204), ("HTTP/1.1 101 Switching", 101)])
    func status(line: String, status: Int) throws {
        let head = try head(of: "\(line)\r\nX: y\r\n\r\nX: trailer\r")
        #expect(head.status == status && head.isComplete && head.fields == ["X": "y"])
    }

    @Test(
        "Any other status is refused",
        arguments: ["HTTP/1.1", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 2x0 OK", "HTTP/1.1 099 OK", "HTTP 200"])
    func otherStatus(line: String) {
        #expect(throws: CurlHead.Malformed()) { try head(of: "\(line)\r\n\r") }
    }

    @Test("All heads of an answer have 300 KiB together", arguments: [1, 10])
    func size(heads: Int) throws {
        var text = (1..<heads).map { "HTTP/1.1 103 Early\r\nX: \($0)\r\n\r\n" }.joined() + "HTTP/1.1 200 OK\r\nX: "
        // The end of the line, and the empty one.
        text += String(repeating: "y", count: 300 * 1_024 - text.utf8.count - 4)
        #expect(try head(of: "\(text)\r\n\r").isComplete)
        #expect(throws: CurlHead.Malformed()) { try head(of: "\(text)y\r\n\r") }
    }

    @Test("A head has 1,000 lines, each for itself", arguments: [998, 999])
    func lines(fields: Int) {
        let interim = "HTTP/1.1 103 Early\r\n" + String(repeating: "X: y\r\n", count: 997) + "\r\n"
        let text = interim + "HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: fields) + "\r"
        let isComplete = try? head(of: text).isComplete
        #expect(isComplete == (fields == 998 ? true : nil))
    }

    @Test("A head of thousands of lines is refused", arguments: ["X-#: y\r\n", "X: y\r\n", " y\r\n"])
    func flood(line: String) {
        let lines = (0..<2_000).map { line.replacing("#", with: "\($0)") }.joined()
        #expect(throws: CurlHead.Malformed()) { try head(of: "HTTP/1.1 200 OK\r\nX: y\r\n\(lines)\r") }
    }

    @Test(
        "A malformed answer is called so, whatever libcurl calls it",
        arguments: [
            "Content-Length: 0x5\r\n\r\nhello", "Content-Length: 5, 6\r\n\r\nhello",
            "Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n",
            "X: \(String(repeating: "y", count: 150_000))\r\n\r\n",
        ])
    func reason(rest: String) async throws {
        let server = try RawServer { _, send in
            send(Array("HTTP/1.1 200 OK\r\n\(rest)".utf8))
            return .hold
        }
        defer { withExtendedLifetime(server) {} }
        await #expect(throws: CoreError.network(NetworkFailure(.malformedAnswer, url: server.url.redacted))) {
            try await CurlTransport().send(TransportRequest(url: server.url))
        }
    }
}
#endif
