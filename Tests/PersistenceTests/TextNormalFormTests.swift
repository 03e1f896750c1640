import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("Text is compared in one normal form")
struct TextNormalFormTests {
    private struct Word: Identifiable, Equatable, Sendable {
        var id: String
        var text: String

        static let schema = Schema<Word>(
            "words", Word.init, Column("id", \.id), Column("text", \.text, isIndexed: true))
    }

    @Test("Ids that Swift's < confuses are told apart, and equal ones are one")
    func ids() throws {
        let words = MemoryStore(Word.schema)
        let sqlite = try SQLiteStore(Word.schema, in: SQLiteDatabase(.memory))
        let ids = ["e\u{301}", "é ", "e", "é!", "f", "가\u{11A8}", "가"]
        for store in [AnyStore(words), AnyStore(sqlite)] {
            for id in ids { try store.insert(Word(id: id, text: id)).get() }
            #expect(throws: StoreError.self) { try store.insert(Word(id: "é", text: "")).get() }
            #expect(throws: StoreError.self) { try store.insert(Word(id: "각", text: "")).get() }
            for id in ids { #expect(try store.object(withId: id).get()?.text == id) }
            #expect(try store.object(withId: "각").get()?.text == "가\u{11A8}")
            let sorted = try store.sorted(by: \.text).result().get().map(\.id)
            #expect(sorted == ["e", "f", "e\u{301}", "é ", "é!", "가", "가\u{11A8}"])
        }
    }

    @Test("Every scalar is found by its beginning, on every store", .onOwnThread)
    func everyScalar() throws {
        let scalars = (0..<0x11_0000 as Range<UInt32>).compactMap(Unicode.Scalar.init)
            .filter { $0.properties.generalCategory != .unassigned && $0.properties.generalCategory != .privateUse }
        // Every thirty-first scalar, and each one before a scalar that composition replaces by another.
        let texts = scalars.enumerated().filter { index, scalar in
            index % 31 == 0
                || (Unicode.Scalar(scalar.value + 1).map { String($0) }).map {
                    !$0.precomposedStringWithCanonicalMapping.unicodeScalars.elementsEqual($0.unicodeScalars)
                } ?? false
        }.map { String($0.element) }
        let words = texts.enumerated().map { Word(id: "\($0.offset)", text: $0.element + "x") }
        let plain = MemoryStore(id: \Word.id)
        let memory = MemoryStore(Word.schema)
        let sqlite = try SQLiteStore(Word.schema, in: SQLiteDatabase(.memory))
        for store in [AnyStore(plain), AnyStore(memory), AnyStore(sqlite)] { try store.insert(words).get() }
        var failures: [String] = []
        for (index, text) in texts.enumerated() {
            let condition = Condition<Word>.startsWith(\.text, text)
            let expected = try condition.matches(words[index])
            for store in [AnyStore(memory), AnyStore(sqlite)] {
                let found = try store.filter(where: condition).result().get().contains { $0.id == "\(index)" }
                if found != expected {
                    failures.append(text.unicodeScalars.map { String($0.value, radix: 16) }.joined())
                }
            }
        }
        #expect(failures == [])
        #expect(texts.count > 5_000)
    }

    @Test(
        "The beginning of a decomposed text is found",
        arguments: ["Ά", "Ώ", "Å", "각", "が", "\u{37F}", "ﬁ", "\u{10FFFF}"])
    func decomposed(_ start: String) throws {
        let sqlite = try SQLiteStore(Word.schema, in: SQLiteDatabase(.memory))
        for store in [AnyStore(MemoryStore(Word.schema)), AnyStore(sqlite)] {
            try store.insert(Word(id: "1", text: start.decomposedStringWithCanonicalMapping + "bc")).get()
            #expect(try store.filter(where: .startsWith(\.text, start)).count().get() == 1)
            #expect(try store.filter(where: .startsWith(\.text, start + "b")).count().get() == 1)
            #expect(try store.filter(where: .startsWith(\.text, start + "c")).count().get() == 0)
        }
    }

    /// (Foundation on Linux takes U+10041 for U+0041, an A.)
    @Test(
        "A text comes back as it is, also if it is composed wrongly by the system",
        arguments: ["\u{10041}\u{301}", "e\u{301} \u{20045}\u{300}", "\u{10041}\u{301}각"])
    func wronglyComposed(_ text: String) throws {
        let sqlite = try SQLiteStore(Word.schema, in: SQLiteDatabase(.memory))
        for store in [AnyStore(MemoryStore(Word.schema)), AnyStore(sqlite)] {
            try store.insert(Word(id: text, text: text)).get()
            #expect(try store.object(withId: text).get()?.text == text)
            #expect(try store.filter(where: \.text == text).count().get() == 1)
            #expect(try store.filter(where: \.text == "Á").count().get() == 0)
        }
    }

    // AddressSanitizer gets each large block of memory from the system, which takes longer than the rest.
    @Test(
        "Text conditions take a time that grows with the text, also of hostile texts", .onOwnThread,
        .enabled(if: dlsym(nil, "__asan_init") == nil))
    func linearTime() throws {
        func time(_ length: Int, _ pattern: (Int) -> (Condition<Word>, String)) throws -> Double {
            let (condition, text) = pattern(length)
            let word = Word(id: "", text: text)
            return try leastProcessorTime(of: 3) { () throws(StoreError) in _ = try condition.matches(word) }
        }
        let patterns: [(Int) -> (Condition<Word>, String)] = [
            { (.contains(\.text, String(repeating: "a", count: $0 / 2) + "b"), String(repeating: "a", count: $0)) },
            { (.contains(\.text, "\u{301}b"), String(repeating: "\u{301}", count: $0)) },
            { (.contains(\.text, "\u{301}", .caseInsensitive), "é" + String(repeating: "\u{301}", count: $0)) },
            { (.contains(\.text, "🇫", .caseInsensitive), String(repeating: "🇫🇷", count: $0 / 2)) },
            { (.contains(\.text, "👩", .caseInsensitive), String(repeating: "👩\u{200D}", count: $0 / 2)) },
        ]
        for (index, pattern) in patterns.enumerated() {
            // A text ten times as long. In quadratic time it would take a hundred times as long.
            #expect(try time(40_000, pattern) < 40 * time(4_000, pattern), "pattern \(index)")
        }
    }
}
