import Foundation

/// What is wrong with a JSON text, and where.
struct JSONFault: Equatable {
    var reason: String
    var offset: Int?

    init(_ reason: String, at offset: Int? = nil) {
        self.reason = reason
        self.offset = offset
    }

    /// The reason with the line and column, counted from one, as editors show them.
    func described(in data: Data) -> String {
        guard let offset else { return reason }
        let before = data.prefix(offset)
        let line = before.reduce(into: 1) { if $1 == UInt8(ascii: "\n") { $0 += 1 } }
        let column =
            before.count
            - (before.lastIndex(of: UInt8(ascii: "\n")).map { before.distance(from: before.startIndex, to: $0) + 1 }
                ?? 0) + 1
        return "\(reason) (line \(line), column \(column))"
    }
}

extension Data {
    /// The bytes in one piece, as `Data` always holds them.
    func withContiguousBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withUnsafeBytes { raw in body(raw.bindMemory(to: UInt8.self)) }
    }
}
