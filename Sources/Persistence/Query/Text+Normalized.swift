import Foundation

extension String {
    /// The text in Unicode's composed form (NFC), in which texts that Swift considers equal have the same bytes.
    ///
    /// This is not so for a few characters that are newer than the version of Unicode that Foundation knows, such as some vowels of
    /// the script Todhri (U+105C9 is U+105D2 U+0307), and for rare texts that Foundation composes to others, which stay as they
    /// are: then equal texts are different texts to a store.
    ///
    /// Every store compares and orders these bytes. Swift's own `<` is not used: for some texts that are not composed it
    /// disagrees with `==`.
    package var precomposed: String {
        // `withUTF8` would need a copy, which is retained and released.
        if utf8.withContiguousStorageIfAvailable(\.isKnownPrecomposed) == true { return self }
        if needsNoComposing { return self }
        // Foundation on Linux composes some rare texts to others: it takes U+10041 for U+0041. A store loses no text.
        let composed = composed
        return composed == self ? composed : self
    }

    /// True if the standard library finds the text to be in composed form without composing it: it has no scalar that may be
    /// joined to another, and its combining marks are in order. It takes a tenth of the time in which Foundation composes a text.
    private var needsNoComposing: Bool {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return false }
        var text = utf8Span
        return text.checkForNFC(quickCheck: true)
    }

    private var composed: String {
        guard unicodeScalars.contains(where: \.isHangulJamo) else { return precomposedStringWithCanonicalMapping }
        // Foundation on Linux does not compose all Hangul, so it is composed here by its arithmetic.
        var composed = UnicodeScalarView()
        var others = UnicodeScalarView()
        func appendOthers() {
            guard !others.isEmpty else { return }
            composed.append(contentsOf: String(others).precomposedStringWithCanonicalMapping.unicodeScalars)
            others = UnicodeScalarView()
        }
        var syllable: Unicode.Scalar?
        for scalar in unicodeScalars {
            if let first = syllable, let joined = first.joinedHangul(with: scalar) {
                syllable = joined
                continue
            }
            if let complete = syllable {
                composed.append(complete)
                syllable = nil
            }
            if scalar.isHangulJamo || scalar.isHangulSyllable {
                appendOthers()
                syllable = scalar
            } else {
                others.append(scalar)
            }
        }
        if let syllable { composed.append(syllable) }
        appendOthers()
        return String(composed)
    }

    /// The composed text, without the differences that `options` ignore.
    func folded(_ options: TextOptions) -> String {
        if options.isEmpty { return precomposed }
        var text = self
        let isASCII = text.withUTF8 { $0.allSatisfy(UTF8.isASCII) }
        if isASCII { return options.contains(.caseInsensitive) ? text.lowercased() : text }
        var folded = String.UnicodeScalarView()
        text = options.contains(.diacriticInsensitive) ? decomposedStringWithCanonicalMapping : precomposed
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
                // Upper and then lower case makes ß and SS equal, and the two small sigmas.
                folded.append(contentsOf: scalar.properties.uppercaseMapping.lowercased().unicodeScalars)
            } else {
                folded.append(scalar)
            }
        }
        return String(folded).precomposed
    }

    /// Returns a negative number, zero or a positive one if the first text comes before, with or after the second.
    @usableFromInline
    static func compareComposed(_ lhs: String, _ rhs: String) -> Int {
        var (left, right) = (lhs, rhs)
        let order = left.withUTF8 { left in
            right.withUTF8 { right in
                left.isKnownPrecomposed && right.isKnownPrecomposed ? left.compare(right) : nil
            }
        }
        if let order { return order }
        (left, right) = (lhs.precomposed, rhs.precomposed)
        return left.withUTF8 { left in right.withUTF8 { left.compare($0) } }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// True if this UTF-8 text is certainly in composed form, as most text in most languages is; false if in doubt.
    var isKnownPrecomposed: Bool {
        isASCII || ComposedScalars.areAll(in: self)
    }

    /// True if all bytes are ASCII.
    var isASCII: Bool {
        guard let start = baseAddress, count >= 8 else { return allSatisfy(UTF8.isASCII) }
        // Eight bytes at a time; the last eight may be tested twice in part.
        func hasOther(_ offset: Int) -> Bool {
            UnsafeRawPointer(start + offset).loadUnaligned(as: UInt64.self) & 0x8080_8080_8080_8080 != 0
        }
        for offset in stride(from: 0, to: count &- 8, by: 8) where hasOther(offset) { return false }
        return !hasOther(count &- 8)
    }

    fileprivate func compare(_ other: Self) -> Int {
        if let start = baseAddress, let otherStart = other.baseAddress {
            let order = memcmp(start, otherStart, Swift.min(count, other.count))
            if order != 0 { return Int(order) }
        }
        return count - other.count
    }
}

extension Unicode.Scalar {
    fileprivate var isHangulJamo: Bool { (0x1100...0x11FF).contains(value) }

    fileprivate var isHangulSyllable: Bool { (0xAC00...0xD7A3).contains(value) }

    /// The syllable that this one makes with a vowel or a final consonant after it, or nil.
    fileprivate func joinedHangul(with next: Unicode.Scalar) -> Unicode.Scalar? {
        switch (value, next.value) {
        case (0x1100...0x1112, 0x1161...0x1175):
            Unicode.Scalar(0xAC00 + ((value - 0x1100) * 21 + next.value - 0x1161) * 28)
        case (0xAC00...0xD7A3, 0x11A8...0x11C2) where (value - 0xAC00) % 28 == 0:
            Unicode.Scalar(value + next.value - 0x11A7)
        default: nil
        }
    }
}
