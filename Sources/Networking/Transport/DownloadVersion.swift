import Foundation

/// The version of a file on a server, as its answer tells it. Two answers of the same version have the same bytes.
struct DownloadVersion: Codable, Equatable {
    /// The header field that tells it.
    let name: String
    let value: String

    /// Returns `nil` if the answer does not tell its version for certain: a weak `ETag` may be that of other bytes, and so may
    /// the time of a change shortly before the answer (RFC 9110, 8.8.2.2).
    init?(_ field: (String) -> String?, now: Date = Date()) {
        if let tag = field("ETag"), tag.hasPrefix("\""), tag.hasSuffix("\""), tag.utf8.count > 1 {
            (name, value) = ("ETag", tag)
        } else if field("ETag") == nil, let text = field("Last-Modified"),
            let changed = HTTPDate.date(from: text, now: now),
            let sent = field("Date").flatMap({ HTTPDate.date(from: $0, now: now) }),
            sent.timeIntervalSince(changed) >= 60
        {
            (name, value) = ("Last-Modified", text)
        } else {
            return nil
        }
    }

    /// True if an answer is of this version.
    func isTold(by field: (String) -> String?) -> Bool { field(name) == value }
}

/// The part of a file that an answer brings: `bytes 500-999/1000`.
struct ContentRange: Equatable {
    let start: Int64
    /// The number of bytes of the whole file.
    let total: Int64

    /// Returns `nil` for any other form, also if the length of the file is not known.
    init?(_ text: String?) {
        guard let text, text.hasPrefix("bytes ") else { return nil }
        let numbers = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false).flatMap {
            $0.split(separator: "-", omittingEmptySubsequences: false)
        }
        let values = numbers.compactMap { $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int64($0) : nil }
        guard numbers.count == 3, values.count == 3, values[0] <= values[1], values[1] < values[2] else { return nil }
        (start, total) = (values[0], values[2])
    }
}
