/// Turns the bytes that a terminal sends into keys and pasted texts. The bytes can come in pieces of any size.
struct KeyDecoder: Sendable {
    /// The most bytes of a pasted text; the rest of a longer one is left out. A field for texts of this size is not
    /// pleasant to use, and what a terminal sends has no limit.
    static let maximumPaste = 65_536

    private(set) var bytes: [UInt8] = []
    /// True if the bytes belong to a pasted text whose end has not come.
    private var isPasting = false
    /// The number of bytes that do not contain the end of the pasted text.
    private var searchedCount = 0
    /// The number of bytes of the pasted text that were taken already.
    private var pastedCount = 0
    /// True if the last bytes were decided upon as if nothing followed. Those that are left wait for more bytes.
    private var isFinished = false

    /// True if more bytes could change the meaning of the last ones, as after Escape alone.
    var isUndecided: Bool { !bytes.isEmpty && !isFinished }

    /// Adds bytes, and returns the inputs that are certain now.
    mutating func inputs(from new: some Sequence<UInt8>) -> [TerminalInput] {
        bytes += new
        isFinished = false
        return takeInputs(isEnd: false)
    }

    /// Returns the inputs for the remaining bytes, if nothing follows for now.
    mutating func finish() -> [TerminalInput] {
        isFinished = true
        return takeInputs(isEnd: true)
    }

    // MARK: - Machinery

    private enum Step {
        case key(Key, Int)
        case beginPaste(Int)
        case skip(Int)
        case wait
    }

    private mutating func takeInputs(isEnd: Bool) -> [TerminalInput] {
        var inputs: [TerminalInput] = []
        while !bytes.isEmpty {
            if isPasting {
                guard let text = takePaste(isEnd: isEnd) else { return inputs }
                if !text.isEmpty { inputs.append(.paste(text)) }
                continue
            }
            switch step(isEnd: isEnd) {
            case let .key(key, count):
                inputs.append(.key(key))
                bytes.removeFirst(count)
            case let .beginPaste(count):
                isPasting = true
                bytes.removeFirst(count)
            case let .skip(count):
                bytes.removeFirst(count)
            case .wait:
                return inputs
            }
        }
        return inputs
    }

    /// Takes the pasted text up to its end, or the part that has come if nothing follows for now, or if it is as long as
    /// a pasted text can be. A character or an end mark of which only a part has come stays for later.
    ///
    /// - Returns: `nil` if more bytes are needed.
    private mutating func takePaste(isEnd: Bool) -> String? {
        // The end may begin in the bytes that were searched before.
        let new = bytes[max(0, searchedCount - Self.pasteEnd.count + 1)...]
        if let end = new.firstRange(of: Self.pasteEnd) {
            return takePaste(upTo: end.lowerBound, dropping: Self.pasteEnd.count)
        }
        // If the end was lost, Ctrl-C ends the paste.
        if let interrupt = new.firstIndex(of: 0x03) { return takePaste(upTo: interrupt, dropping: 0) }
        searchedCount = bytes.count
        let whole = bytes.count - unfinishedCount
        guard isEnd || pastedCount + whole >= Self.maximumPaste, whole > 0 else { return nil }
        defer {
            bytes.removeFirst(whole)
            searchedCount = 0
        }
        return kept(bytes[..<whole])
    }

    /// Returns as much of a part of the pasted text as it may have, up to the end of a character.
    private mutating func kept(_ part: ArraySlice<UInt8>) -> String {
        let room = max(0, Self.maximumPaste - pastedCount)
        pastedCount += part.count
        guard part.count > room else { return String(decoding: part, as: UTF8.self) }
        var end = room
        while end > 0, part[part.startIndex + end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: part.prefix(end), as: UTF8.self)
    }

    /// The number of bytes at the end that may be the beginning of the paste's end mark, or of a character.
    private var unfinishedCount: Int {
        if let count = (1..<Self.pasteEnd.count).last(where: { bytes.suffix($0) == Self.pasteEnd.prefix($0) }) {
            return count
        }
        // The first byte of a character tells its length; those after it begin with the bits 10.
        let count = bytes.reversed().prefix(3).prefix { $0 & 0xC0 == 0x80 }.count + 1
        guard count <= bytes.count else { return 0 }
        return Self.length(ofCharacterAt: bytes[bytes.count - count]) > count ? count : 0
    }

    private mutating func takePaste(upTo end: Int, dropping count: Int) -> String {
        let text = kept(bytes[..<end])
        bytes.removeFirst(end + count)
        (isPasting, searchedCount, pastedCount) = (false, 0, 0)
        return text
    }

    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    private func step(isEnd: Bool) -> Step {
        switch bytes[0] {
        case 0x1B: escapeSequence(isEnd: isEnd)
        case 0x09: .key(.tab, 1)
        case 0x0A, 0x0D: .key(.enter, 1)
        case 0x08, 0x7F: .key(.backspace, 1)
        case 0x01...0x1A: .key(.control(Character(Unicode.Scalar(bytes[0] + 0x60))), 1)
        case 0x00...0x1F: .skip(1)
        default: character()
        }
    }

    private static func length(ofCharacterAt first: UInt8) -> Int {
        switch first {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }

    /// A character of which only a part has come stays for later, as the connection to a terminal can pause anywhere.
    private func character() -> Step {
        let length = Self.length(ofCharacterAt: bytes[0])
        guard bytes.count >= length else {
            return bytes.dropFirst().allSatisfy { $0 & 0xC0 == 0x80 } ? .wait : .skip(1)
        }
        guard let text = String(validating: bytes[..<length], as: UTF8.self) else { return .skip(1) }
        return .key(.character(Character(text)), length)
    }

    private func escapeSequence(isEnd: Bool) -> Step {
        guard bytes.count > 1 else { return isEnd ? .key(.escape, 1) : .wait }
        switch bytes[1] {
        case UInt8(ascii: "["): return controlSequence(isEnd: isEnd)
        case UInt8(ascii: "O"):
            guard bytes.count > 2 else { return isEnd ? .key(.escape, 1) : .wait }
            return Self.letters[bytes[2]].map { .key($0, 3) } ?? .skip(3)
        // Alt and a letter, which some terminals send for words.
        case UInt8(ascii: "b"): return .key(.wordLeft, 2)
        case UInt8(ascii: "f"): return .key(.wordRight, 2)
        case 0x7F: return .key(.control("w"), 2)
        default: return .key(.escape, 1)
        }
    }

    /// `ESC [`, parameters, a final byte (ECMA-48, 5.4).
    private func controlSequence(isEnd: Bool) -> Step {
        // The console of Linux sends `ESC [ [` and a letter for F1 to F5.
        let isConsoleKey = bytes.count > 2 && bytes[2] == UInt8(ascii: "[")
        guard let end = bytes.dropFirst(isConsoleKey ? 3 : 2).firstIndex(where: { 0x40...0x7E ~= $0 }) else {
            // A sequence that is longer than any key is skipped.
            return isEnd || bytes.count > 32 ? .skip(bytes.count) : .wait
        }
        let count = end + 1
        if isConsoleKey { return .skip(count) }
        let parameters = bytes[2..<end].split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        if let key = Self.letters[bytes[end]] {
            // The second parameter gives the modifiers, such as Control and Alt.
            let isModified = parameters.count > 1 && !["", "1", "2"].contains(parameters[1])
            return .key(isModified ? key.ofWords : key, count)
        }
        guard bytes[end] == UInt8(ascii: "~") else { return .skip(count) }
        let parameter = parameters.first ?? ""
        if parameter == "200" { return .beginPaste(count) }
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

extension Key {
    /// The key that moves by words, if this one moves by characters.
    fileprivate var ofWords: Key {
        switch self {
        case .left: .wordLeft
        case .right: .wordRight
        default: self
        }
    }
}
