import Foundation
import JSON
import JSONSamples
import Testing

/// The bytes behind the end of a body in memory are not part of it.
@Suite("The end of a body")
struct JSONEndTests {
    /// What reading the first bytes of the memory brings: the text of the value, or the fault.
    private func outcome(ofFirst count: Int, of memory: Data) -> String {
        do {
            return try JSONIndex.read(memory.prefix(count)) { root in
                var writer = JSONWriter()
                writer.value(root)
                return String(decoding: writer.finish(), as: UTF8.self)
            }
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "Whatever follows it in memory, a body is read or refused in the same way, wherever it ends",
        arguments: [
            #"{"list":[{"id":-17,"name":"é \u00e9 \ud83d\ude00","ok":[true,false,null,1.5e-3]},{"id":-18,"name":"x"}]}"#,
            #"[ {"key" : 1 , "other key" : 12345678} , {"key" : 2 , "other key" : 123456789012} ]"#,
            #"["a text of more than sixteen bytes, and more than thirty-two","語語語語語語語語語語語語\n語"]"#,
            "12345678", "1234567.25", "-1e+10", "-0.125E-7", "true", "null", "false",
        ])
    func followed(text: String) {
        let bytes = Array(text.utf8)
        for count in 0...bytes.count {
            let copy = outcome(ofFirst: count, of: Data(bytes[..<count] + [UInt8](repeating: 0, count: 64)))
            let others = ["\"", "}", "]", ",", ":", " ", "0", "e", ".", "u", "\\"].map { Array($0.utf8) }
            for other in others + [Array(bytes[count...]), [0x80], [0xBF]] where !other.isEmpty {
                let rest = (0..<64).map { other[$0 % other.count] }
                let outcome = outcome(ofFirst: count, of: Data(bytes[..<count] + rest))
                if outcome != copy { Issue.record("\(count) bytes before \(other): \(outcome), not \(copy)") }
            }
        }
    }

    @Test(
        "The fault of a body that ends too early says in what it ends",
        arguments: [
            ("[", "array", 1), ("[ ", "array", 2), ("[1", "array", 2), ("[1 ", "array", 3), ("[1,", "array", 3),
            ("[1, ", "array", 4), (#"[{"a":1}"#, "array", 8), (#"[{"a":1},"#, "array", 9), (#"{"a":[]"#, "object", 7),
            ("{", "object", 1), ("{ ", "object", 2), (#"{"a""#, "object", 4), (#"{"a" "#, "object", 5),
            (#"{"a":"#, "object", 5), (#"{"a": "#, "object", 6), (#"{"a":1"#, "object", 6), (#"{"a":1,"#, "object", 7),
            (#"{"a":1, "#, "object", 8), (#"[{"a":1},{"a":"#, "object", 14), (#"[["#, "array", 2),
        ])
    func tooEarly(_ text: String, _ container: String, _ offset: Int) {
        #expect(throws: JSONFault("The body ends in the middle of an \(container).", at: offset)) {
            try JSONIndex.read(Data(text.utf8)) { _ in }
        }
    }

    @Test("The fault of a number has no more than 40 of its characters, and none behind it")
    func longNumber() {
        let digits = String(repeating: "0123456789", count: 5)
        for (text, shown) in [(digits, String(digits.prefix(40))), ("-x", "-"), ("[1.e5,2]", "1.e5"), ("-]", "-")] {
            let start = text.hasPrefix("[") ? 1 : 0
            #expect(throws: JSONFault("\"\(shown)\" is not a number.", at: start)) {
                try JSONIndex.read(Data(text.utf8)) { _ in }
            }
        }
        let body = Data("-1234567890123456".utf8).prefix(1)
        #expect(throws: JSONFault("\"-\" is not a number.", at: 0)) { try JSONIndex.read(body) { _ in } }
    }

    @Test(
        "The fault of an unexpected byte shows it, or its number if it cannot be seen",
        arguments: [
            (0x21, "\"!\""), (0x7E, "\"~\""), (0x01, "byte 1"), (0x1F, "byte 31"), (0x80, "byte 128"),
            (0xFF, "byte 255"),
        ] as [(UInt8, String)])
    func unexpected(_ byte: UInt8, _ shown: String) {
        for (text, wanted) in [
            ("[", "a value"), ("[1", "a comma or the end of the array"),
            (#"{"a":1"#, "a comma or the end of the object"), ("{", "a key in quotes"),
            (#"{"a":1,"#, "a key in quotes"), (#"{"a""#, "a colon"),
        ] {
            let body = Data(text.utf8 + [byte] + " ]} and more".utf8)
            #expect(throws: JSONFault("Expected \(wanted), but found \(shown).", at: text.utf8.count)) {
                try JSONIndex.read(body) { _ in }
            }
        }
    }
}
