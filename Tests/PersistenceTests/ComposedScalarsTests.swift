import FeedbackTesting
import Foundation
import Testing

@testable import Persistence

@Suite("Texts in composed form are recognized without composing them")
struct ComposedScalarsTests {
    @Test("The standard library agrees that a scalar that is listed never changes, moves, or joins the one before it")
    func listed() {
        var count = 0
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), ComposedScalars.contains(scalar) else { continue }
            count += 1
            if scalar.properties.canonicalCombiningClass != .notReordered
                || !isComposed("a\(String(Character(scalar)))")
            {
                Issue.record("U+\(String(value, radix: 16, uppercase: true)) is listed")
            }
        }
        #expect(count > 90_000)
    }

    @Test("Of the planes after the first, emoji and the rarer Han characters are listed, as far as they say")
    func beyondFirstPlane() {
        func contains(_ value: UInt32) -> Bool? { Unicode.Scalar(value).map { ComposedScalars.contains($0) } }
        for listed in [0x1F000, 0x1FAFF, 0x20000, 0x2EBE0] as [UInt32] { #expect(contains(listed) == true) }
        for other in [0x1EFFF, 0x1FB00, 0x1FFFF, 0x2EBE1, 0x2F800] as [UInt32] { #expect(contains(other) == false) }
    }

    private func isComposed(_ text: String) -> Bool {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return true }
        var text = text.utf8Span
        return text.checkForNFC(quickCheck: true)
    }

    @Test(
        "Common texts of many scripts are recognized",
        arguments: [
            "Español, señor", "Łódź", "Việt Nam", "Ελληνική", "Российская Федерация", "Україна", "Հայաստան", "ישראל",
            "جمهورية مصر العربية", "ایران", "ไทย", "მთა", "中华人民共和国", "日本国。「港」", "대한민국", "€ ₹ ₺ №", "🇩🇪", "👩‍🚀 ☀️", "ｗｉｄｅ",
            "𠮷野",
        ])
    func common(_ text: String) {
        #expect(Array(text.utf8).withUnsafeBufferPointer { ComposedScalars.areAll(in: $0) })
        #expect(text.precomposed.utf8.elementsEqual(text.utf8))
    }

    @Test("Each scalar is found in a text as it is found alone")
    func everyScalar() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let isListed = Array("aé中\(String(Character(scalar)))z".utf8).withUnsafeBufferPointer {
                ComposedScalars.areAll(in: $0)
            }
            if isListed != ComposedScalars.contains(scalar) {
                Issue.record("U+\(String(value, radix: 16, uppercase: true))")
            }
        }
    }

    @Test("A text is in doubt if its first scalar is", arguments: ["\u{301}a", "\u{958}", "\u{1D15E}a"])
    func doubtfulStart(_ text: String) {
        #expect(!Array(text.utf8).withUnsafeBufferPointer { ComposedScalars.areAll(in: $0) })
    }

    @Test("A text whose last scalar is cut off is in doubt", arguments: ["Ж", "中", "🏙"])
    func cutOff(_ text: String) {
        let bytes = Array("a\(text)".utf8)
        for count in 2..<bytes.count {
            #expect(!bytes[..<count].withUnsafeBufferPointer { ComposedScalars.areAll(in: $0) })
        }
    }

    @Test("Equal texts are composed to the same bytes, also with marks out of order, jamo, and scripts of all planes")
    func equalTexts() {
        let pieces: [String] = [
            "a", "e", "é", "Ω", "\u{2126}", "\u{212B}", "Å", "ệ", "\u{301}", "\u{323}", "\u{302}", "\u{345}", "ά", "ж",
            "й",
            "и\u{306}", "ال", "\u{64B}", "\u{651}", "\u{653}", "ש", "\u{5C1}", "\u{FB2A}", "न", "\u{94D}", "\u{93C}",
            "\u{958}",
            "\u{9C7}", "\u{9BE}", "ท", "\u{E48}", "\u{E38}", "が", "か", "\u{3099}", "中", "\u{F900}", "\u{2F800}", "가",
            "각",
            "\u{1100}", "\u{1161}", "\u{11A8}", "\u{11A7}", "🏙", "🇩🇪", "\u{1D15E}", "\u{110BA}", "\u{AC00}\u{11A8}", " ",
            "a longer text that is only ASCII",
        ]
        var numbers = SeededNumbers(seed: 11)
        for _ in 0..<4_000 {
            let count = Int.random(in: 0...12, using: &numbers)
            let text = (0..<count).compactMap { _ in pieces.randomElement(using: &numbers) }.joined()
            let composed = text.precomposed
            #expect(composed == text)
            #expect(composed.precomposed.utf8.elementsEqual(composed.utf8))
            let decomposed = text.decomposedStringWithCanonicalMapping.precomposed
            #expect(
                decomposed.utf8.elementsEqual(composed.utf8),
                "\(text.unicodeScalars.map { String($0.value, radix: 16) })")
        }
    }
}
