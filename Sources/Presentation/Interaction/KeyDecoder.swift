/// Turns the bytes that a terminal sends into keys: a value that is fed as they come, in pieces of any size.
struct KeyDecoder: Sendable {
    private var bytes: [UInt8] = []

    /// Whether more bytes could change what the last ones mean, as after Escape alone.
    var isUndecided: Bool { !bytes.isEmpty }

    /// The keys that are certain now.
    mutating func keys(from new: some Sequence<UInt8>) -> [Key] {
        bytes += new
        return takeKeys(isEnd: false)
    }

    /// The keys that the rest means if nothing follows.
    mutating func finish() -> [Key] {
        takeKeys(isEnd: true)
    }

    // MARK: - Machinery

    private enum Step {
        case key(Key, Int)
        case skip(Int)
        case wait
    }

    private mutating func takeKeys(isEnd: Bool) -> [Key] {
        var keys: [Key] = []
        while !bytes.isEmpty {
            switch step(isEnd: isEnd) {
            case let .key(key, count):
                keys.append(key)
                bytes.removeFirst(count)
            case let .skip(count):
                bytes.removeFirst(count)
            case .wait:
                return keys
            }
        }
        return keys
    }

    private func step(isEnd: Bool) -> Step {
        switch bytes[0] {
        case 0x1B: escapeSequence(isEnd: isEnd)
        case 0x09: .key(.tab, 1)
        case 0x0A, 0x0D: .key(.enter, 1)
        case 0x08, 0x7F: .key(.backspace, 1)
        case 0x01...0x1A: .key(.control(Character(Unicode.Scalar(bytes[0] + 0x60))), 1)
        case 0x00...0x1F: .skip(1)
        default: character(isEnd: isEnd)
        }
    }

    private func character(isEnd: Bool) -> Step {
        let length =
            switch bytes[0] {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 1
            }
        guard bytes.count >= length else { return isEnd ? .skip(1) : .wait }
        guard let text = String(validating: bytes[..<length], as: UTF8.self), let character = text.first else {
            return .skip(1)
        }
        return .key(.character(character), length)
    }

    private func escapeSequence(isEnd: Bool) -> Step {
        guard bytes.count > 1 else { return isEnd ? .key(.escape, 1) : .wait }
        switch bytes[1] {
        case UInt8(ascii: "["): return controlSequence(isEnd: isEnd)
        case UInt8(ascii: "O"):
            guard bytes.count > 2 else { return isEnd ? .key(.escape, 1) : .wait }
            return Self.letters[bytes[2]].map { .key($0, 3) } ?? .skip(3)
        default: return .key(.escape, 1)
        }
    }

    /// `ESC [`, parameters, a final byte (ECMA-48, 5.4).
    private func controlSequence(isEnd: Bool) -> Step {
        guard let end = bytes.dropFirst(2).firstIndex(where: { 0x40...0x7E ~= $0 }) else {
            // Longer than any key: whatever it is, it is not waited for.
            return isEnd || bytes.count > 32 ? .skip(bytes.count) : .wait
        }
        let count = end + 1
        if let key = Self.letters[bytes[end]] { return .key(key, count) }
        guard bytes[end] == UInt8(ascii: "~") else { return .skip(count) }
        let parameter = String(decoding: bytes[2..<end].prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
        return Self.numbers[parameter].map { .key($0, count) } ?? .skip(count)
    }

    private static let letters: [UInt8: Key] = [
        UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
        UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end, UInt8(ascii: "Z"): .backTab,
    ]

    private static let numbers: [String: Key] = [
        "1": .home, "3": .delete, "4": .end, "5": .pageUp, "6": .pageDown, "7": .home, "8": .end,
    ]
}
