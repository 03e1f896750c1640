import Canned
import Presentation

extension String {
    /// Returns true if two texts are equal, but for secrets: the mark in either of them stands for any text.
    package func isSame(as other: String) -> Bool { self == other || fits(other) || other.fits(self) }
}

extension ValueLines {
    /// Returns true if two states are not equal, but would be without the secrets.
    func differsOnlyInSecrets(from other: ValueLines) -> Bool {
        let (mine, others) = (byPath, other.byPath)
        return mine != others && mine.count == others.count
            && mine.allSatisfy { path, text in others[path].map(text.isSame) ?? false }
    }
}
