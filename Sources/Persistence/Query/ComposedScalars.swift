/// The scalars that composition never changes or moves, nor joins to the scalar before them: letters, syllables, and signs of
/// most scripts, but not combining marks.
///
/// A text of such scalars is in composed form (NFC). Unicode promises that no later version changes this for a character that
/// it has.
enum ComposedScalars {
    static func contains(_ scalar: Unicode.Scalar) -> Bool {
        let value = Int(scalar.value)
        if value < 0x1_0000 { return words[value &>> 6] &>> UInt64(value & 63) & 1 == 1 }
        return isComposedBeyondFirstPlane(value &>> 12, value)
    }

    /// Returns whether all scalars of a UTF-8 text are such ones.
    static func areAll(in text: UnsafeBufferPointer<UInt8>) -> Bool {
        let words = words
        var i = 0
        while i < text.count {
            let first = text[i]
            // A byte from 0xCC on begins a scalar from U+0300 on, where the combining marks begin; all before are composed.
            if first < 0xCC {
                i &+= 1
                continue
            }
            let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            guard i &+ length <= text.count else { return false }
            let second = Int(text[i &+ 1] & 0x3F)
            let last = UInt64(text[i &+ length &- 1] & 0x3F)
            switch length {
            case 2:
                if words[Int(first & 0x1F)] &>> (UInt64(second)) & 1 == 0 { return false }
            case 3:
                if words[Int(first & 0xF) &<< 6 | second] &>> last & 1 == 0 { return false }
            default:
                let page = Int(first & 7) &<< 6 | second
                let value = page &<< 12 | Int(text[i &+ 2] & 0x3F) &<< 6 | Int(last)
                if !isComposedBeyondFirstPlane(page, value) { return false }
            }
            i &+= length
        }
        return true
    }

    /// Emoji, and the rarer Han characters.
    ///
    /// - Parameter page: The scalar's number without its last 12 bits.
    @inline(__always)
    private static func isComposedBeyondFirstPlane(_ page: Int, _ value: Int) -> Bool {
        page == 0x1F && value <= 0x1FAFF || page >= 0x20 && value <= 0x2EBE0
    }

    /// A bit for each scalar up to U+FFFF, 64 in a word, since UTF-8 keeps the last six bits of a scalar in its last byte.
    private static let words: [UInt64] = {
        var words = [UInt64](repeating: 0, count: 0x1_0000 / 64)
        for range in ranges {
            for value in range { words[value >> 6] |= 1 << UInt64(value & 63) }
        }
        return words
    }()

    private static let ranges: [ClosedRange<Int>] = [
        0x0000...0x02FF,  // Latin, IPA
        0x0370...0x0373, 0x0375...0x0377, 0x037A...0x037D, 0x037F...0x037F, 0x0384...0x0386,  // Greek
        0x0388...0x0482, 0x048A...0x0556, 0x0559...0x058F,  // Greek, Cyrillic, Armenian
        0x05D0...0x05F4, 0x0620...0x064A, 0x0660...0x066F, 0x0671...0x06D5, 0x06EE...0x070D,  // Hebrew, Arabic
        0x0904...0x0939, 0x093D...0x094C, 0x0960...0x097F,  // Devanagari
        0x0985...0x09B9, 0x09BF...0x09CC, 0x0A05...0x0A32, 0x0A85...0x0AB9, 0x0ABD...0x0ACC,  // Bengali to Gujarati
        0x0B83...0x0BBD, 0x0BBF...0x0BCC, 0x0C05...0x0C3A, 0x0C3D...0x0C4C,  // Tamil, Telugu
        0x0E01...0x0E37, 0x0E3F...0x0E47, 0x0E4F...0x0E5B, 0x0E81...0x0EB7, 0x0EBB...0x0EC7,  // Thai, Lao
        0x1000...0x102D, 0x102F...0x1036, 0x103B...0x108C, 0x10A0...0x10FF, 0x1780...0x17D1,  // Burmese to Khmer
        0x1E00...0x1EFF, 0x1F00...0x1F70,  // Latin with two marks, as in Vietnamese; Greek with accents
        0x2002...0x20C0, 0x2100...0x2125, 0x2127...0x2129, 0x212C...0x2328, 0x232B...0x2ADB,  // punctuation, signs
        0x3000...0x3029, 0x3030...0x3098, 0x309B...0x9FFF,  // punctuation, kana, bopomofo, Han
        0xAC00...0xD7A3,  // Hangul
        0xFB50...0xFE0F, 0xFE30...0xFFEF,  // forms of Arabic letters, wide and narrow forms
    ]
}
