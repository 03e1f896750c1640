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
