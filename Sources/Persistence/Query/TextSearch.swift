/// A search for a sequence of bytes in a text, in time linear in the length of the text.
///
/// It is the algorithm of Knuth, Morris and Pratt: `fallback[n]` is the length of the longest proper prefix of the
/// first `n` bytes that is also their suffix. After a mismatch, that many bytes still match.
struct TextSearch: Sendable {
    let bytes: [UInt8]
    private let fallback: [Int]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var fallback = [0, 0]
        var length = 0
        for index in bytes.indices.dropFirst() {
            while length > 0, bytes[index] != bytes[length] { length = fallback[length] }
            if bytes[index] == bytes[length] { length += 1 }
            fallback.append(length)
        }
        self.fallback = fallback
    }

    /// Calls `isWanted` with the start of each occurrence until it returns true; returns whether it did.
    func find(
        in text: UnsafeBufferPointer<UInt8>, ignoringCase: Bool, _ isWanted: (Int) -> Bool
    ) -> Bool {
        guard let first = bytes.first else { return (0...text.count).contains(where: isWanted) }
        return bytes.withUnsafeBufferPointer { bytes in
            var length = 0
            for index in text.indices {
                let byte = ignoringCase ? text[index].lowercased : text[index]
                if length == 0, byte != first { continue }
                while length > 0, byte != bytes[length] { length = fallback[length] }
                if byte == bytes[length] { length += 1 }
                guard length == bytes.count else { continue }
                if isWanted(index + 1 - length) { return true }
                length = fallback[length]
            }
            return false
        }
    }
}

extension UInt8 {
    /// The lowercase letter of an ASCII letter; every other byte unchanged.
    var lowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }
}

/// The bounds of a text's characters; they are computed for the whole text after the first few calls.
struct CharacterBoundaries {
    private let text: String
    private var asked = 0
    private var isBoundary: [Bool] = []

    init(_ text: String) { self.text = text }

    /// Returns whether a character begins, or the text ends, at an offset of its UTF-8.
    mutating func contains(_ offset: Int) -> Bool {
        if !isBoundary.isEmpty { return isBoundary[offset] }
        asked += 1
        if asked <= 4 {
            let index = text.utf8.index(text.startIndex, offsetBy: offset)
            return index == text.endIndex || index.samePosition(in: text) != nil
        }
        // Checking each offset on its own would take quadratic time on a hostile text.
        isBoundary = Array(repeating: false, count: text.utf8.count + 1)
        for index in text.indices { isBoundary[text.utf8.distance(from: text.startIndex, to: index)] = true }
        isBoundary[text.utf8.count] = true
        return isBoundary[offset]
    }
}
