import FeedbackTesting
import Foundation
import JSON
import JSONSamples
import Testing

@Suite("JSONIndex", .onOwnThread)
struct JSONIndexTests {
    private func fault(_ body: Data) -> JSONFault? {
        do {
            try JSONIndex.read(body) { _ in }
            return nil
        } catch {
            return error as? JSONFault
        }
    }

    // MARK: - Grammar

    @Test(
        "Accepts what the grammar allows",
        arguments: [
            "null", " true ", "false", "0", "-0", "-1", "10.5", "1e5", "1E+5", "0.1e-7",
            "123456789012345678901234567890",
            #""""#, #""a""#, #""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00""#, #""é🏙 longer than sixteen bytes""#, "[]", "{}",
            "[[],[[]],{}]", #"{"":0}"#, #"{"a":{"a":{"a":[]}}}"#, "\t[ 1 ,\n2\r]\n",
            #"{"a":1,"b":[true,null,{"c":"d"}]}"#,
            "\"\u{7F}\u{80}\"",
        ])
    func accepted(_ text: String) {
        #expect(fault(Data(text.utf8)) == nil)
    }

    @Test(
        "Refuses anything else, with the reason and the offset",
        arguments: [
            ("", "The body is empty.", nil), (" \n", "The body is empty.", nil),
            ("nul", #"Expected a value, but found "n"."#, 0), ("True", #"Expected a value, but found "T"."#, 0),
            ("+1", #"Expected a value, but found "+"."#, 0), (".5", #"Expected a value, but found "."."#, 0),
            ("-", #""-" is not a number."#, 0), ("01", #""01" is not a number."#, 0),
            ("-01", #""-01" is not a number."#, 0),
            ("1.", #""1." is not a number."#, 0), ("1.e5", #""1.e5" is not a number."#, 0),
            ("1e", #""1e" is not a number."#, 0), ("1e+", #""1e+" is not a number."#, 0),
            ("0x10", "Something follows after the end of the JSON value.", 1),
            ("1 2", "Something follows after the end of the JSON value.", 2),
            ("NaN", #"Expected a value, but found "N"."#, 0), ("[1,]", #"Expected a value, but found "]"."#, 3),
            ("[,1]", #"Expected a value, but found ","."#, 1), ("[1 2]", nil, 3),
            (#"{"a":1,}"#, #"Expected a key in quotes, but found "}"."#, 7), (#"{"a" 1}"#, nil, 5),
            (#"{"a"}"#, #"Expected a colon, but found "}"."#, 4), ("{1:2}", nil, 1), ("{a:1}", nil, 1),
            ("[1", "The body ends in the middle of an array.", 2), (#"{"a":1"#, nil, 6), (#"{"a":"#, nil, 5),
            (#"{"a"#, "The body ends in the middle of a string.", 1), (#"["abc"#, nil, 1), (#"["abc\"#, nil, 1),
            (#"["\x"]"#, "A string has an unknown escape.", 2), (#"["\u12g4"]"#, nil, 2), (#"["\u12"]"#, nil, 2),
            ("[\"a\nb\"]", "A control character stands unescaped in a string.", 3),
            ("[\"a long enough text\u{1}\"]", "A control character stands unescaped in a string.", 20),
            ("]", nil, 0), ("[}", nil, 1), ("{]", nil, 1), ("[1}", nil, 2),
            ("\u{A0}1", "Expected a value, but found byte 194.", 0),
            ("// 1", nil, 0), ("'a'", nil, 0),
            ("\u{FEFF}1", "The body begins with a byte order mark, which JSON does not allow.", nil),
        ] as [(String, String?, Int?)])
    func refused(_ text: String, _ reason: String?, _ offset: Int?) throws {
        let fault = try #require(self.fault(Data(text.utf8)))
        if let reason { #expect(fault.reason == reason) }
        #expect(fault.offset == offset)
    }

    @Test("Each beginning of a body is refused, and never read beyond its end")
    func truncated() {
        let text =
            #"{"list":[{"id":-17,"name":"Zürich \u00e9 \ud83d\ude00","ok":[true,false,null,1.5e-3]},{"id":-18,"name":"x"}]}"#
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count {
            // In memory of its own size, so that AddressSanitizer sees what is read beyond it.
            #expect(fault(Data(bytes[..<count])) != nil, "\(count) bytes")
        }
        #expect(fault(Data(bytes)) == nil)
    }

    @Test(
        "Bytes that are not UTF-8 are refused at their offset",
        arguments: [
            [0xFF], [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xC3],
        ] as [[UInt8]])
    func notUTF8(_ bytes: [UInt8]) {
        for padding in 0..<40 {
            let text = Data(#"[""#.utf8) + Data(repeating: 0x61, count: padding) + Data(bytes) + Data(#""]"#.utf8)
            #expect(fault(text) == JSONFault("The body is not valid UTF-8.", at: 2 + padding))
            let longer =
                Data(#"[""#.utf8) + Data(repeating: 0x61, count: padding) + Data(bytes)
                + Data(#"é and more than that, in two blocks of sixteen bytes"]"#.utf8)
            #expect(fault(longer) == JSONFault("The body is not valid UTF-8.", at: 2 + padding))
        }
    }

    @Test("Of all sequences of the bytes at the borders of UTF-8's ranges, the well-formed ones are accepted")
    func borders() {
        let first: [UInt8] = [
            0x80, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        let later: [UInt8] = [0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xE1, 0xF1]
        var sequences = first.map { [$0] }
        var number = 0
        for _ in 0..<4 {
            for sequence in sequences {
                // The padding moves the sequence over the borders of blocks of sixteen bytes.
                number += 1
                let text = Array(repeating: UInt8(ascii: "a"), count: number % 19) + sequence
                let body = Data("[\"".utf8 + text + "\", \"é\", \"and more\"]".utf8)
                if (fault(body) == nil) != (String(validating: text, as: UTF8.self) != nil) {
                    Issue.record("\(sequence) after \(number % 19) bytes")
                }
            }
            if sequences.count > 3_000 { break }
            sequences = sequences.flatMap { sequence in later.map { sequence + [$0] } }
        }
        #expect(number > 20_000)
    }

    @Test("Every scalar is accepted, and read as it is")
    func scalars() throws {
        for start in stride(from: 0x80, to: 0x110000, by: 0x400) {
            let text = String(String.UnicodeScalarView((start..<start + 0x400).compactMap(Unicode.Scalar.init)))
            let body = Data("\"\(text)\"".utf8)
            #expect(try JSONIndex.read(body) { $0.string } == text)
        }
    }

    @Test(
        "UTF-16 and UTF-32 are refused as such",
        arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32])
    func encodings(_ encoding: String.Encoding) throws {
        let body = try #require("[1, 2]".data(using: encoding))
        #expect(fault(body)?.reason == "The body is not UTF-8 (it looks like UTF-16 or UTF-32).")
    }

    @Test("512 levels are accepted, and one more is refused at once", arguments: ["[", #"{"a":"#])
    func depth(_ opening: String) {
        let closing = opening == "[" ? "]" : "}"
        let deepest = String(repeating: opening, count: 511) + "[]" + String(repeating: closing, count: 511)
        #expect(fault(Data(deepest.utf8)) == nil)
        #expect(fault(Data("[\(deepest)]".utf8))?.reason == "Arrays and objects are nested deeper than 512 levels.")
        let bomb = Data(repeating: UInt8(ascii: "["), count: 64 << 20)
        #expect(fault(bomb)?.offset == 512)
    }

    @Test("A body of 256 MB is refused before it is read")
    func tooLarge() {
        let limit = 1 << 28 - 1 << 10
        #expect(fault(Data(count: limit))?.reason == "The body is larger than 256 MB.")
        #expect(fault(Data(count: limit - 1))?.reason == "The body is not UTF-8 (it looks like UTF-16 or UTF-32).")
    }

    // MARK: - Keys that stand twice

    @Test(
        "A key that stands twice in one object is refused",
        arguments: [
            (#"{"a":1,"b":2,"a":3}"#, 13), (#"{"a":1,"\u0061":2}"#, 7), (#"{"é":1,"e\u0301":2}"#, 8),
            (#"{"":1,"":2}"#, 6),
            ("{\"\u{212A}\":1,\"K\":2}", 9), (#"[{"a":1,"b":2},{"a":1,"b":2},{"a":1,"a":2}]"#, 36),
            (#"[{"a":{"x":1,"y":2}},{"a":{"x":1,"x":2}}]"#, 33), (#"[{"a":1,"b":2},{"b":1,"a":2,"b":3}]"#, 28),
        ])
    func twice(_ text: String, _ offset: Int) {
        let fault = fault(Data(text.utf8))
        #expect(fault?.reason.contains("stands twice in one object") == true)
        #expect(fault?.offset == offset)
    }

    @Test("The same key in different objects is not twice the same key")
    func sameKeys() {
        #expect(fault(Data(#"{"a":{"a":[{"a":1},{"a":2},{"b":1,"a":2},{"a":1,"b":{"a":3}},{"b":0}]}}"#.utf8)) == nil)
    }

    @Test("Random objects are refused exactly if a key stands twice", arguments: 0..<20)
    func randomKeys(_ seed: UInt64) {
        var dice = Dice(seed: seed)
        for _ in 0..<200 {
            var isTwice = false
            let objects = (0..<dice.next(below: 8)).map { _ in
                let keys = (0..<dice.next(below: dice.hits(oneIn: 10) ? 300 : 40)).map { _ in
                    "key\(dice.next(below: 60 + 400 * dice.next(below: 2)))"
                }
                var unique: Set<String> = []
                let kept = keys.filter { unique.insert($0).inserted || dice.hits(oneIn: 20) }
                isTwice = isTwice || Set(kept).count < kept.count
                return "{\(kept.map { #""\#($0)":0"# }.joined(separator: ","))}"
            }
            let body = Data("[\(objects.joined(separator: ","))]".utf8)
            #expect((fault(body) != nil) == isTwice, "\(String(decoding: body, as: UTF8.self))")
        }
    }

    @Test("Objects that all have other keys take a time that grows with their number")
    func manyShapes() {
        // The time of this thread only, because the machine may be busy with other things.
        func processorTime() -> Duration {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
        func time(_ count: Int) -> Duration {
            let objects = (0..<count).map { "{\"a\($0)\":0,\"b\($0)\":0}" }
            let body = Data("[\(objects.joined(separator: ","))]".utf8)
            return (0..<5).map { _ in
                let start = processorTime()
                #expect(fault(body) == nil)
                return processorTime() - start
            }.min() ?? .zero
        }
        // Ten times as many objects. In quadratic time they would take a hundred times as long.
        #expect(time(20_000) < time(2_000) * 60)
    }

    @Test("More keys than the index remembers are found, and refused if they stand twice")
    func manyKeys() throws {
        let users = (0..<40_000).map { #""user\#($0)":{"id":\#($0),"name":"x"}"# }.joined(separator: ",")
        try JSONIndex.read(Data(#"{"users":{\#(users)},"list":[{"id":1},{"id":2},{"name":"y","id":3}]}"#.utf8)) {
            root in
            for (number, user) in (root["users"]?.members.enumerated().map { ($0, $1.value) } ?? []) {
                #expect(user["id"]?.integer() == number && user["name"]?.string == "x")
            }
            #expect(root["users"]?.count == 40_000)
            #expect(root["list"]?.elements.map { $0["id"]?.integer(Int.self) } == [1, 2, 3])
        }
        let start = #"{"users":{\#(users)},"list":["#
        for (number, twice) in [#"{"id":1,"id":2}"#, #"{"id":1},{"id":1,"id":2}"#].enumerated() {
            #expect(fault(Data("\(start)\(twice)]}".utf8))?.offset == start.utf8.count + (number == 0 ? 8 : 17))
        }
    }

    @Test("Keys are found with any white space around them, also if it differs from that in the object before")
    func whiteSpace() throws {
        var dice = Dice(seed: 1)
        func space() -> String {
            let indentation = "\n" + String(repeating: " ", count: dice.next(below: 40))
            return ["", " ", "\n  ", "\t\r\n", indentation, indentation + "\t"][dice.next(below: 6)]
        }
        let keys = ["id", "a key of several words", "é", #"a\n"#]
        let objects = (0..<200).map { number in
            let members = keys.map { "\(space())\"\($0)\"\(space()):\(space())\(number)\(space())" }
            return "{\(members.joined(separator: ","))}"
        }
        try JSONIndex.read(Data("[\(objects.joined(separator: ","))]".utf8)) { root in
            for (number, object) in root.elements.enumerated() {
                #expect(object.members.map(\.key) == ["id", "a key of several words", "é", "a\n"])
                #expect(object.members.map { $0.value.integer(Int.self) } == Array(repeating: number, count: 4))
            }
            #expect(root.count == 200)
        }
    }

    @Test("Keys of any length are told apart, whichever byte of them differs")
    func similarKeys() throws {
        for length in 1...40 {
            for place in 0..<length {
                let key = String(repeating: "k", count: length)
                let other = key.prefix(place) + "x" + key.dropFirst(place + 1)
                let body = #"[{"\#(key)":1},{"\#(other)":2},{"\#(key)":3},{"\#(other)":4},{"\#(key)":5}]"#
                let keys = try JSONIndex.read(Data(body.utf8)) { $0.elements.flatMap { $0.members.map(\.key) } }
                #expect(keys == [key, String(other), key, String(other), key])
            }
        }
    }

    @Test(
        "A character that is not white space is refused after any number of spaces",
        arguments: ["\u{B}", "\u{1}", "\u{A0}"])
    func notWhiteSpace(_ character: String) {
        for count in 0..<20 {
            let space = "\n" + String(repeating: " ", count: count)
            #expect(fault(Data("[\(space)1\(space)]\(space)".utf8)) == nil)
            for body in ["[\(space)\(character)1]", "[1\(space)\(character)]"] {
                #expect(fault(Data(body.utf8))?.offset == (body.hasPrefix("[1") ? 3 : 2) + count)
            }
        }
    }

    @Test("A string is read as it is, wherever in it something else than plain text stands")
    func strings() throws {
        let pieces = ["\\n": "\n", "\\\"": "\"", "\\u003c": "<", "\\u00e9": "é", "é": "é", "語": "語", "🏙": "🏙"]
        for (written, read) in pieces {
            for before in 0..<70 {
                let (start, end) = (String(repeating: "a", count: before), String(repeating: "b", count: 69 - before))
                let body = Data("[\"\(start)\(written)\(end)\"]".utf8)
                #expect(try JSONIndex.read(body) { $0.elements.first { _ in true }?.string } == start + read + end)
                let control = Data("[\"\(start)\(written)\(end)\u{1F}\"]".utf8)
                #expect(fault(control)?.offset == 2 + 69 + written.utf8.count)
            }
        }
    }

    // MARK: - Reading

    @Test("Values are read by their types, and are nil for others")
    func values() throws {
        let body = Data(
            #"{"n":null,"b":true,"i":-3,"d":1.5,"s":"x\n","a":[1,"2",{}],"o":{"k":0},"big":9223372036854775808,"dot.key":4}"#
                .utf8)
        try JSONIndex.read(body) { root in
            #expect(root.kind == .object && root.count == 9)
            #expect(root["n"]?.isNull == true && root["b"]?.bool == true && root["i"]?.integer() == -3)
            #expect(root["d"]?.double == 1.5 && root["s"]?.string == "x\n" && root["dot.key"]?.integer() == 4)
            #expect(root["a"]?.elements.map(\.kind) == [.number, .string, .object])
            #expect(root["o"]?.members.map(\.key) == ["k"])
            #expect(root["i"]?.integer(UInt8.self) == nil && root["i"]?.string == nil && root["s"]?.double == nil)
            #expect(root["big"]?.integer(Int64.self) == nil)
            #expect(root["big"]?.integer(UInt64.self) == 1 << 63)
            #expect(root["missing"] == nil && root["i"]?.count == 0 && root["s"]?["x"] == nil)
        }
    }

    @Test("A scalar reads each kind of value, and no other")
    func scalarValues() throws {
        let body = Data(#"[null, true, false, -3, 1.5, 18446744073709551615, "x", "é", "\u00e9", [], {}]"#.utf8)
        try JSONIndex.read(body) { root in
            let scalars = root.elements.map(\.scalar)
            func places(_ isThere: (JSONScalar) -> Bool) -> [Int] { scalars.indices.filter { isThere(scalars[$0]) } }
            #expect(places(\.isNull) == [0])
            #expect(places { $0.bool == true } == [1] && places { $0.bool == false } == [2])
            #expect(places { $0.integer != nil } == [3] && scalars[3].integer == -3)
            #expect(places { $0.unsigned != nil } == [5] && scalars[5].unsigned == .max)
            #expect(scalars[3...5].map(\.double) == [-3, 1.5, 0x1p64] && places { $0.double != nil } == [3, 4, 5])
            #expect(scalars[6...8].map(\.string) == ["x", "é", "é"] && places { $0.string != nil } == [6, 7, 8])
            // The bytes of a string with escapes are not its text.
            let texts = scalars.map { $0.withText { String(decoding: $0, as: UTF8.self) } }
            #expect(texts == Array(repeating: nil, count: 6) + ["x", "é", nil, nil, nil])
        }
    }

    @Test("A lone half of a surrogate pair has no string, and spoils nothing else")
    func loneSurrogates() throws {
        let body = Data(#"["\ud800","\udc00","\ud800\u0041","\ud800x","\udbff\udfff"]"#.utf8)
        try JSONIndex.read(body) { root in
            #expect(root.elements.map(\.string) == [nil, nil, nil, nil, "\u{10FFFF}"])
        }
        #expect(fault(Data(#"{"\ud800":1}"#.utf8))?.reason == "A key holds half of a surrogate pair.")
    }

    @Test("A node that is kept can be read after the body is gone")
    func escaping() throws {
        var kept: JSONNode?
        do {
            let body = Data(#"{"name":"a name that is longer than what a string holds in itself","n":[1,2.5]}"#.utf8)
            kept = try JSONIndex.read(body) { $0 }
        }
        #expect(kept?["name"]?.string == "a name that is longer than what a string holds in itself")
        #expect(kept?["n"]?.elements.map(\.double) == [1, 2.5])
    }

    @Test("Columns are found in rows whose keys differ in number and order")
    func columns() throws {
        let body = Data(
            #"[{"id":1,"b":"x"},{"id":2,"b":"y"},{"b":"z","id":3},{"id":4},{"c":0,"id":5,"b":null},7,{"id":6,"b":"w"}]"#
                .utf8)
        var columns = JSONColumns(["id", "b"])
        var rows: [String] = []
        try JSONIndex.read(body) { root in
            for row in root.elements {
                guard columns.locate(in: row) else {
                    rows.append("no row")
                    continue
                }
                rows.append("\(columns[0]?.integer(Int.self) ?? 0)\(columns[1].map { $0.string ?? "null" } ?? "-")")
            }
        }
        #expect(rows == ["1x", "2y", "3z", "4-", "5null", "no row", "6w"])
    }

    @Test("Rows that leave out one key, whichever of many it is, are not taken for each other")
    func rowsWithoutOneKey() throws {
        let names = (0..<70).map { "k\($0)" }
        let rows: [Int?] = [0, 1, 62, 63, 64, 65, 68, 69, 0, 63, 64, 69].flatMap { [nil, $0] }
        let texts = rows.enumerated().map { number, missing in
            let members = names.indices.filter { $0 != missing }.map { "\"k\($0)\":\(100 * number + $0)" }
            return "{\(members.joined(separator: ","))}"
        }
        var columns = JSONColumns(names)
        try JSONIndex.read(Data("[\(texts.joined(separator: ","))]".utf8)) { root in
            for (number, row) in root.elements.enumerated() {
                guard columns.locate(in: row) else {
                    Issue.record("Row \(number) is not an object.")
                    continue
                }
                let values = names.indices.map { columns[$0]?.integer(Int.self) }
                #expect(values == names.indices.map { $0 == rows[number] ? nil : 100 * number + $0 }, "row \(number)")
            }
        }
    }

    @Test("A place counts lines and columns from one, and shows the text around")
    func places() {
        let place = JSONPlace(of: 12, in: Data("{\n  \"a\": 1,\n  oops\n}".utf8))
        #expect((place.line, place.column) == (3, 1))
        #expect(place.excerpt == "{   \"a\": 1,   oops }")
    }
}
