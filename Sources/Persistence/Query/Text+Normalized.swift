import Foundation

extension String {
    /// The text in Unicode's composed form (NFC), in which texts that Swift holds equal have the same bytes.
    ///
    /// SQLite compares bytes. Text in this form it therefore compares, and orders, as Swift does.
    var precomposed: String {
        var text = self
        return text.withUTF8 { $0.isKnownPrecomposed } ? text : precomposedStringWithCanonicalMapping
    }

    /// The composed text, without the differences that `options` ignore.
    func folded(_ options: TextOptions) -> String {
        if options.isEmpty { return precomposed }
        var folded = String.UnicodeScalarView()
        let text = options.contains(.diacriticInsensitive) ? decomposedStringWithCanonicalMapping : precomposed
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                let isUppercase = 0x41...0x5A ~= scalar.value && options.contains(.caseInsensitive)
                folded.append(isUppercase ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar)
                continue
            }
            if options.contains(.diacriticInsensitive), scalar.properties.generalCategory == .nonspacingMark {
                continue
            }
            if options.contains(.caseInsensitive) {
                // Upper and then lower case brings ß and SS, or the two small sigmas, together.
                folded.append(contentsOf: scalar.properties.uppercaseMapping.lowercased().unicodeScalars)
            } else {
                folded.append(scalar)
            }
        }
        return String(folded).precomposed
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether this UTF-8 text is surely in composed form: true of what most languages write, false when in doubt.
    var isKnownPrecomposed: Bool {
        // A leading byte below 0xCC begins a scalar below U+0300, where the combining marks begin.
        guard let doubtful = firstIndex(where: { $0 >= 0xCC }) else { return true }
        return String(decoding: self[doubtful...], as: UTF8.self).unicodeScalars.allSatisfy(\.isAlwaysPrecomposed)
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is one that composing never changes, moves or joins with the one before it.
    var isAlwaysPrecomposed: Bool {
        switch value {
        case ..<0x300: true
        case 0x0400...0x0482, 0x048A...0x052F: true  // Cyrillic
        case 0x05D0...0x05EA, 0x0621...0x064A: true  // Hebrew, Arabic
        case 0x2010...0x2027: true  // dashes and quotation marks
        case 0x3041...0x3096, 0x30A1...0x30FF: true  // kana
        case 0x4E00...0x9FFF, 0xAC00...0xD7A3: true  // Han, Hangul
        case 0xFE0F, 0x200D, 0x1F300...0x1FAFF: true  // emoji
        default: false
        }
    }
}
