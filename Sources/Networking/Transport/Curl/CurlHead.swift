#if canImport(CCurl)
import Foundation

/// The head of an answer, parsed line by line as libcurl passes it on. A pure state machine.
///
/// Interim answers (1xx) come before the final one and are dropped. Lines after the final head are trailers; they are
/// dropped, too, since fields that come after the body could contradict decisions that were based on the head.
struct CurlHead {
    struct Malformed: Error, Equatable {}

    /// 0 before the first line of a head.
    private(set) var status = 0
    private(set) var fields = HTTPHeaders()
    /// True if the head of the final answer is complete.
    private(set) var isComplete = false
    /// The declared length of the body.
    private(set) var length: Int64?
    /// True for a status from 200 to 299.
    var isSuccess: Bool { 200...299 ~= status }
    /// The number of bytes of the body, if it is known. The length that the head declares counts bytes on the wire.
    var unpackedLength: Int64? {
        let isPacked = fields["Content-Encoding"].map { $0.lowercased() != "identity" } ?? false
        return isPacked ? nil : length
    }
    /// True if the body comes in chunks.
    var isChunked: Bool { fields["Transfer-Encoding"]?.lowercased().hasSuffix("chunked") == true }
    /// True if the body is packed with gzip, and in no other way.
    var isGzipped: Bool { ["gzip", "x-gzip"].contains(fields["Content-Encoding"]?.lowercased()) && mayBeStreamed }
    /// True if the body is packed at most once, in a way that bounds how much a few bytes unpack to.
    var mayBeStreamed: Bool {
        func isOne(_ field: String, of values: [String]) -> Bool {
            fields[field].map { values.contains($0.lowercased()) } ?? true
        }
        return isOne("Content-Encoding", of: ["gzip", "x-gzip", "identity"])
            && isOne("Transfer-Encoding", of: ["chunked", "identity"])
    }
    /// The bytes of all heads so far, and the lines of this one.
    private var (size, lines) = (0, 0)
    private var lastName: String?

    /// The greatest number of bytes of all heads of an answer together.
    private static let limit = 300 * 1_024
    /// The greatest number of lines of a head. Each field is compared with those before it, so thousands would take
    /// seconds.
    private static let lineLimit = 1_000

    mutating func receive(_ line: UnsafeRawBufferPointer) throws(Malformed) {
        (size, lines) = (size + line.count, lines + 1)
        guard size <= CurlHead.limit, lines <= CurlHead.lineLimit else { throw Malformed() }
        guard !isComplete else { return }
        var line = line[...]
        while let last = line.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { line.removeLast() }
        if status == 0 {
            guard line.starts(with: "HTTP/".utf8) else { throw Malformed() }
            (status, fields, lastName, lines) = (try CurlHead.status(in: line), HTTPHeaders(), nil, 1)
        } else if line.isEmpty {
            // The final head follows an interim one.
            if isInterim { status = 0 } else { isComplete = true }
            if isComplete, let field = fields["Content-Length"] { length = try CurlHead.length(field) }
        } else {
            try receiveField(line)
        }
    }

    /// Returns the length that a field declares: a number, which may be repeated (RFC 9110, 8.6).
    ///
    /// libcurl's own parser is lenient: it reads `0x5` as 0, `5, 6` as 5, and ignores a number beyond 64 bits.
    private static func length(_ field: String) throws(Malformed) -> Int64 {
        // Most lengths are one number; 18 digits fit.
        if 1...18 ~= field.utf8.count, field.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) {
            return field.utf8.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }
        var lengths: Set<Int64> = []
        for number in field.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let digits = number.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
            guard digits.allSatisfy({ 0x30...0x39 ~= $0 }), let length = Int64(String(decoding: digits, as: UTF8.self))
            else { throw Malformed() }
            lengths.insert(length)
        }
        guard let length = lengths.popFirst(), lengths.isEmpty else { throw Malformed() }
        return length
    }

    private var isInterim: Bool { 100...199 ~= status && status != 101 }

    private mutating func receiveField(_ line: Slice<UnsafeRawBufferPointer>) throws(Malformed) {
        if let first = line.first, CurlHead.isBlank(first) {
            // A line that continues the one before it (RFC 9112, 5.2).
            guard let lastName else { throw Malformed() }
            let more = try text(line)
            if let value = fields[lastName] { fields[lastName] = "\(value) \(more)" }
            return
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { throw Malformed() }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        let value = try text(line[(colon + 1)...])
        lastName = name
        guard !isInterim else { return }
        guard let earlier = fields[name] else { return fields[name] = value }
        // With two different lengths it is ambiguous where the answer ends.
        if name.lowercased() == "content-length" {
            guard earlier == value else { throw Malformed() }
        } else {
            fields[name] = "\(earlier), \(value)"
        }
    }

    private func text(_ bytes: Slice<UnsafeRawBufferPointer>) throws(Malformed) -> String {
        // A value with these bytes could be read as two fields by the next recipient (RFC 9110, 5.5).
        guard !bytes.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\r") }) else { throw Malformed() }
        var bytes = bytes
        while let first = bytes.first, CurlHead.isBlank(first) { bytes.removeFirst() }
        while let last = bytes.last, CurlHead.isBlank(last) { bytes.removeLast() }
        // Old servers send Latin-1, for example in names of files. Replacement characters would make different `ETag`s equal.
        return String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// Returns the status of a line such as `HTTP/1.1 200 OK` or `HTTP/2 200`.
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
