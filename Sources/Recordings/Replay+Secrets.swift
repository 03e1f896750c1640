import Canned
import Presentation

extension String {
    /// Returns true if two texts are equal, but for secrets: the mark in either of them stands for any text.
    package func isSame(as other: String) -> Bool { self == other || fits(other) || other.fits(self) }
}

extension ValueLines {
    /// Returns true if two states are not equal, but would be without the secrets.
    func differsOnlyInSecrets(from other: ValueLines) -> Bool {
        let mine = byPath
        var others = other.byPath
        guard mine != others, mine.count == others.count else { return false }
        var rest: [(path: String, text: String)] = []
        for (path, text) in mine {
            guard let same = others.removeValue(forKey: path) else {
                rest.append((path, text))
                continue
            }
            guard text.isSame(as: same) else { return false }
        }
        // The key of a dictionary can contain a secret. The mark alone stands for any key, so longer ones come first.
        for (path, text) in rest.sorted(by: { $0.path.utf8.count > $1.path.utf8.count }) {
            guard let match = others.first(where: { path.isSame(as: $0.key) && text.isSame(as: $0.value) }) else {
                return false
            }
            others[match.key] = nil
        }
        return true
    }
}
