import Foundation
import JSON
import JSONSamples
import Testing

@Suite("JSONWriter")
struct JSONWriterTests {
    private func written(escapesSlashes: Bool = false, _ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(capacity: 1, escapesSlashes: escapesSlashes)
        write(&writer)
        return String(decoding: writer.finish(), as: UTF8.self)
    }

    @Test("Sets commas and colons between values, at any depth")
    func structure() {
        let name = JSONWriter.Key("na\"me")
        let text = written { writer in
            writer.beginArray()
            for id in 1...2 {
                writer.beginObject()
                writer.key("id")
                writer.integer(id)
                writer.key(name)
                writer.string("x")
                writer.key("tags")
                writer.beginArray()
                writer.endArray()
                writer.endObject()
            }
            writer.null()
            writer.bool(true)
            writer.bool(false)
            writer.endArray()
        }
        #expect(text == #"[{"id":1,"na\"me":"x","tags":[]},{"id":2,"na\"me":"x","tags":[]},null,true,false]"#)
    }

    @Test("The slash in a key is escaped only if that is wanted, and never in a key that was escaped before")
    func slashes() {
        for escapesSlashes in [false, true] {
            let text = written(escapesSlashes: escapesSlashes) { writer in
                writer.beginObject()
                writer.key("a/b")
                writer.integer(1)
                writer.key(JSONWriter.Key("c/d"))
                writer.integer(2)
                writer.endObject()
            }
            #expect(text == (escapesSlashes ? #"{"a\/b":1,"c/d":2}"# : #"{"a/b":1,"c/d":2}"#))
        }
        var writer = JSONWriter()
        writer.string("a/b")
        #expect(writer.finish() == Data(#""a/b""#.utf8))
    }

    @Test("Strings are escaped as JSONEncoder escapes them", arguments: [true, false])
    func strings(_ escapesSlashes: Bool) throws {
        let encoder = JSONEncoder()
        if !escapesSlashes { encoder.outputFormatting = .withoutEscapingSlashes }
        let all = String(String.UnicodeScalarView((0..<0x180).compactMap(Unicode.Scalar.init)))
        var dice = Dice(seed: 1)
        let random = (0..<200).map { _ in
            String(
                (0..<dice.next(below: 40)).map { _ in
                    "ab\"\\/\n\u{1}\u{1F}é🏙"[
                        "ab\"\\/\n\u{1}\u{1F}é🏙".index(
                            "ab\"\\/\n\u{1}\u{1F}é🏙".startIndex, offsetBy: dice.next(below: 10))]
                })
        }
        for text in [all, "", "/"] + random {
            let expected = String(decoding: try encoder.encode(text), as: UTF8.self)
            #expect(written(escapesSlashes: escapesSlashes) { $0.string(text) } == expected)
        }
    }

    @Test(
        "A character is escaped at each place of texts of each length",
        arguments: ["\"", "\\", "/", "\u{0}", "\u{1F}", "\u{20}", "\u{7F}", "é", "中", "🏙"])
    func escapes(_ character: String) throws {
        for escapesSlashes in [true, false] {
            let encoder = JSONEncoder()
            if !escapesSlashes { encoder.outputFormatting = .withoutEscapingSlashes }
            let escaped = String(decoding: try encoder.encode(character), as: UTF8.self).dropFirst().dropLast()
            for length in 0..<26 {
                for place in 0...length {
                    let (before, after) = (
                        String(repeating: "a", count: place), String(repeating: "z", count: length - place)
                    )
                    for second in [false, true] {
                        let text = before + character + after + (second ? character : "")
                        let expected = "\"\(before)\(escaped)\(after)\(second ? String(escaped) : "")\""
                        let result = written(escapesSlashes: escapesSlashes) { $0.string(text) }
                        if result != expected { Issue.record("\(text) is written as \(result)") }
                    }
                }
            }
        }
    }

    @Test("Integers of each number of digits are written with all of them")
    func digits() {
        var power = 1
        for _ in 0..<18 {
            for value in [power - 1, power, power + 1, power * 9 / 7] {
                #expect(written { $0.integer(value) } == "\(value)")
                #expect(written { $0.integer(Int64(-value)) } == "\(-value)")
            }
            power *= 10
        }
    }

    @Test("Decimals are written with the digits that Swift gives them")
    func decimals() {
        var dice = Dice(seed: 5)
        var values: [Double] = [
            0, 0.001, 0.001.nextDown, 0.00100001, 0.1, 0.5, 1, 9.99999999, 9.999999999, 33.93911, 9_999_999, 1e7,
            1e7.nextDown,
            9_999_999.99999999, 9_999_999.999999999, 1e-8, 1e15, 0x1p53, 0x1p-30, .pi, .leastNonzeroMagnitude,
        ]
        for _ in 0..<20_000 {
            let digits = Double(dice.next(below: 1_000_000_000_000_000) >> dice.next(below: 50))
            let value = digits / [1, 1e2, 1e5, 1e8, 1e9].randomElement(using: &dice).unsafelyUnwrapped
            values += [value, value.nextUp, value.nextDown]
        }
        for value in values + values.map({ -$0 }) {
            var text = value.description
            if text.hasSuffix(".0") { text.removeLast(2) }
            let result = written { $0.double(value) }
            if result != text { Issue.record("\(value) is written as \(result)") }
        }
    }

    @Test("Numbers are written as JSONEncoder writes them")
    func numbers() throws {
        for value in [0, -1, 9, 10, 99, 100, Int.max, Int.min, 1_000_000_007, -1_000] {
            #expect(written { $0.integer(value) } == "\(value)")
        }
        #expect(written { $0.integer(UInt64.max) } == "18446744073709551615")
        #expect(written { $0.integer(Int128.min) } == "\(Int128.min)")
        for value in [0, -0.0, 1, 1.5, 0.1, 1e20, 1e-7, 123_456_789.125, Double.pi, .greatestFiniteMagnitude] {
            let expected = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
            #expect(written { $0.double(value) } == expected)
        }
        #expect(written { $0.double(.nan) } == "null")
    }

    @Test("A value that was indexed is copied as it is")
    func copies() throws {
        let text = #"{"a":[1,-2.50e1,"x\u00e9\/"],"b":{"c":null,"d":true},"e":12345678901234567890}"#
        let copy = try JSONIndex.read(Data(text.utf8)) { root in written { $0.value(root) } }
        #expect(copy == text)
    }
}
