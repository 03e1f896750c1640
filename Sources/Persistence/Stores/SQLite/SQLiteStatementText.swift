import Foundation

/// The text of a statement, compared by its bytes.
///
/// Strings are equal also if their letters are composed differently, and two such statements are different ones.
struct SQLiteStatementText: Hashable {
    private let text: String

    init(_ text: String) { self.text = text }

    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.withBytes { lhs in
            rhs.withBytes { rhs in
                guard lhs.count == rhs.count, let left = lhs.baseAddress, let right = rhs.baseAddress else {
                    return lhs.isEmpty && rhs.isEmpty
                }
                return memcmp(left, right, lhs.count) == 0
            }
        }
    }

    func hash(into hasher: inout Hasher) { withBytes { hasher.combine(bytes: $0) } }

    @inline(__always)
    private func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var text = text
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
