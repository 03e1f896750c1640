import Foundation

/// The text of a statement, compared by its bytes.
///
/// Strings are equal also if their letters are composed differently, but two such statements are different ones.
package struct StatementText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.withBytes { lhs in
            rhs.withBytes { rhs in
                guard lhs.count == rhs.count, let left = lhs.baseAddress, let right = rhs.baseAddress else {
                    return lhs.isEmpty && rhs.isEmpty
                }
                return memcmp(left, right, lhs.count) == 0
            }
        }
    }

    package func hash(into hasher: inout Hasher) { withBytes { hasher.combine(bytes: $0) } }

    @inline(__always)
    private func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var text = text
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
