import Foundation

/// A text that cannot be guessed.
struct Secret: Sendable {
    let text: String

    /// Makes a secret of 256 random bits.
    init() {
        var generator = SystemRandomNumberGenerator()
        text = (0..<4).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    init(_ text: String) { self.text = text }

    /// The text as it is written in an address and in a cookie, which give a meaning to `+`, `;` and others.
    var encoded: String { text.addingPercentEncoding(withAllowedCharacters: Self.plain) ?? "" }

    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    /// Compares in a time that does not depend on where the two differ.
    func equals(_ other: some StringProtocol) -> Bool {
        let (mine, others) = (Array(text.utf8), Array(other.utf8))
        guard mine.count == others.count else { return false }
        return zip(mine, others).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
