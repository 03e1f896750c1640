#if canImport(CCurl)
import Foundation

/// The head of an answer, taken in line by line as libcurl passes it on. A pure state machine.
///
/// Interim answers (1xx) come before the final one and are dropped. Lines after the final head are trailers; they are
/// dropped too, since fields that come after the body could change what was decided by the first ones.
struct CurlHead {
    struct Malformed: Error, Equatable {}

    private(set) var status = 0
    private(set) var fields = HTTPHeaders()
    /// True if the head of the final answer is whole.
    private(set) var isComplete = false
    private var size = 0
    private var lastName: String?

    /// The most bytes of all heads of an answer together.
    private static let limit = 300 * 1_024

    mutating func receive(_ line: UnsafeRawBufferPointer) throws(Malformed) {
        size += line.count
        guard size <= CurlHead.limit else { throw Malformed() }
        guard !isComplete else { return }
        var line = line[...]
        while let last = line.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { line.removeLast() }
        if line.starts(with: "HTTP/".utf8) {
            (status, fields, lastName) = (try CurlHead.status(in: line), HTTPHeaders(), nil)
        } else if status == 0 {
            throw Malformed()
        } else if line.isEmpty {
            isComplete = status >= 200 || status == 101
        } else {
            try receiveField(line)
        }
    }

    /// The declared length of the body, if it is a number.
    var length: Int64? { fields["Content-Length"].flatMap { Int64($0) } }

    private mutating func receiveField(_ line: Slice<UnsafeRawBufferPointer>) throws(Malformed) {
        if let first = line.first, isBlank(first) {
            // A line that continues the one before it (RFC 9112, 5.2).
            guard let lastName, let value = fields[lastName] else { throw Malformed() }
            fields[lastName] = "\(value) \(text(line))"
            return
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { throw Malformed() }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        let value = text(line[(colon + 1)...])
        lastName = name
        guard let earlier = fields[name] else { return fields[name] = value }
        // Two lengths that differ are two readings of where the answer ends.
        if name.lowercased() == "content-length" {
            guard earlier == value else { throw Malformed() }
        } else {
            fields[name] = "\(earlier), \(value)"
        }
    }

    private func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        var bytes = bytes
        while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// The status of `HTTP/1.1 200 OK` or `HTTP/2 200`.
    private static func status(in line: Slice<UnsafeRawBufferPointer>) throws(Malformed) -> Int {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[1].count == 3 else { throw Malformed() }
        var status = 0
        for byte in words[1] {
            guard 0x30...0x39 ~= byte else { throw Malformed() }
            status = status * 10 + Int(byte - 0x30)
        }
        guard status >= 100 else { throw Malformed() }
        return status
    }
}
#endif
