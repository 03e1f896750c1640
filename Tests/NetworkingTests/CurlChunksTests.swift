#if os(Linux)
import Testing

@testable import Networking

@Suite("Bodies in chunks")
struct CurlChunksTests {
    /// Receives a body in pieces of a number of bytes.
    private func chunks(of text: String, by count: Int = .max) -> CurlChunks {
        var (chunks, rest) = (CurlChunks(), Array(text.utf8)[...])
        while !rest.isEmpty {
            Array(rest.prefix(count)).withUnsafeBytes { chunks.receive($0) }
            rest = rest.dropFirst(count)
        }
        return chunks
    }

    @Test(
        "A body is complete after its last chunk and its trailers, however it is cut, and not a byte earlier",
        arguments: [
            "0\r\n\r\n", "4\r\ndone\r\n0\r\n\r\n", "000A;name=\"a b\"\r\n0123456789\r\n0\r\n\r\n",
            "1\r\n\n\r\n2;x\r\n\r\n\r\n0\r\nA: b\r\nC: 0\r\n\r\n",
            "fF\r\n\(String(repeating: "0\r\n\r\n", count: 51))\r\n0\r\n\r\n",
        ])
    func complete(text: String) {
        for count in 1...text.utf8.count { #expect(chunks(of: text, by: count).isComplete) }
        for length in 0..<text.utf8.count {
            #expect(!chunks(of: String(decoding: text.utf8.prefix(length), as: UTF8.self)).isComplete)
        }
    }

    @Test("A size beyond all numbers is not the end", arguments: ["80000000000000000", "ffffffffffffffff"])
    func size(text: String) {
        #expect(!chunks(of: "\(text)\r\n\r\n\r\n").isComplete)
    }
}
#endif
