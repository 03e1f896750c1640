import Foundation
import JSON
import JSONSamples
import Testing

/// Types whose code asks decoders for unusual things, by `JSONDecoder` and by ours, and the same for encoders.
@Suite("Unusual Codable code")
struct UnusualCodableTests {
    /// Checks that each text is decoded to the same value as by `JSONDecoder`, or refused by both.
    private func compare<Value: Decodable & Equatable>(
        _ type: Value.Type, _ texts: String..., location: SourceLocation = #_sourceLocation
    ) throws {
        for text in texts {
            let body = Data(text.utf8)
            let reference = try? JSONDecoder().decode(type, from: body)
            let ours = try? StrictJSONDecoder().decode(type, from: body)
            #expect(ours == reference, "\(text)", sourceLocation: location)
        }
    }

    /// Checks that a value is written byte for byte as by `JSONEncoder`, in each format whose order of keys is fixed.
    private func compareWriting<Value: Encodable>(
        _ value: Value, location: SourceLocation = #_sourceLocation
    ) throws {
        let formats: [JSONEncoder.OutputFormatting] = [
            .sortedKeys, [.sortedKeys, .prettyPrinted], [.sortedKeys, .withoutEscapingSlashes],
            [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes],
        ]
        for format in formats {
            let encoder = JSONEncoder()
            encoder.outputFormatting = format
            let strict = try #require(StrictJSONEncoder(settingsOf: encoder))
            let reference = (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) }
            let ours = (try? strict.encode(value)).map { String(decoding: $0, as: UTF8.self) }
            #expect(ours == reference, "\(format)", sourceLocation: location)
        }
    }

    // MARK: - Containers

    private struct AskedTwice: Decodable, Equatable {
        enum Key: String, CodingKey { case inner, list, a, b }
        let values: [Int]

        init(from decoder: any Decoder) throws {
            let outer = try decoder.container(keyedBy: Key.self)
            let again = try decoder.container(keyedBy: Key.self)
            let first = try outer.nestedContainer(keyedBy: Key.self, forKey: .inner)
            let second = try again.nestedContainer(keyedBy: Key.self, forKey: .inner)
            var list = try outer.nestedUnkeyedContainer(forKey: .list)
            var other = try again.nestedUnkeyedContainer(forKey: .list)
            values = [
                try first.decode(Int.self, forKey: .b), try second.decode(Int.self, forKey: .a),
                try list.decode(Int.self), try other.decode(Int.self), try list.decode(Int.self),
                try first.decode(Int.self, forKey: .a), try other.decode(Int.self),
            ]
        }
    }

    @Test("Keys that are canonically equivalent are one member, also if they are escaped")
    func equivalentKeys() throws {
        struct Both: Encodable {
            struct Key: CodingKey {
                let stringValue: String
                var intValue: Int? { nil }
                init(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { nil }
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(1, forKey: Key(stringValue: "\u{E9}/abcdefg"))
                try container.encode(2, forKey: Key(stringValue: "e\u{301}/abcdefg"))
            }
        }
        let data = try StrictJSONEncoder().encode(Both())
        #expect(try JSONDecoder().decode([String: Int].self, from: data) == ["\u{E9}/abcdefg": 2])
        #expect(try StrictJSONDecoder().decode([String: Int].self, from: data) == ["\u{E9}/abcdefg": 2])
    }

    /// Reads the members with keys of several types, one after the other or at once; one kind keeps its container.
    private struct Figure: Decodable, Equatable {
        enum Kind: String, CodingKey { case kind }
        enum Circle: String, CodingKey { case radius }
        enum Square: String, CodingKey { case side }

        let numbers: [Int]
        let kept: KeyedDecodingContainer<Circle>?

        init(from decoder: any Decoder) throws {
            let kind = try decoder.container(keyedBy: Kind.self).decode(Int.self, forKey: .kind)
            switch kind {
            case 0:
                numbers = [try decoder.container(keyedBy: Circle.self).decode(Int.self, forKey: .radius)]
                kept = nil
            case 1:
                let circle = try decoder.container(keyedBy: Circle.self)
                let square = try decoder.container(keyedBy: Square.self)
                numbers = [
                    try square.decode(Int.self, forKey: .side), try circle.decode(Int.self, forKey: .radius),
                ]
                kept = nil
            default:
                let square = try decoder.container(keyedBy: Square.self).decode(Int.self, forKey: .side)
                numbers = [square]
                kept = try decoder.container(keyedBy: Circle.self)
            }
        }

        static func == (lhs: Self, rhs: Self) -> Bool {
            func radius(_ figure: Self) -> Int? { try? figure.kept?.decode(Int.self, forKey: .radius) }
            return lhs.numbers == rhs.numbers && radius(lhs) == radius(rhs)
        }
    }

    @Test("Objects that are read with several types of keys, kept or not, have their own members")
    func severalTypesOfKeys() throws {
        var dice = Dice(seed: 7)
        for _ in 0..<50 {
            let figures = (0..<12).map { number in
                "{\"side\":\(100 + number),\"kind\":\(dice.next(below: 3)),\"radius\":\(number)}"
            }
            try compare([Figure].self, "[\(figures.joined(separator: ","))]")
        }
    }

    @Test("A nested container that is asked for twice is two containers")
    func nestedTwice() throws {
        try compare(
            AskedTwice.self, #"{"inner":{"a":1,"b":2},"list":[3,4]}"#, #"{"list":[3,4],"inner":{"b":2,"a":1}}"#,
            #"{"inner":{"a":1},"list":[3,4]}"#, #"{"inner":null,"list":[3,4]}"#, #"{"inner":{"a":1,"b":2},"list":[3]}"#)
        try compare([AskedTwice].self, #"[{"inner":{"a":1,"b":2},"list":[3,4]},{"inner":{"b":5,"a":6},"list":[7,8]}]"#)
    }

    private struct Supers: Codable, Equatable {
        let values: [Int?]

        init(values: [Int?]) { self.values = values }

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            var values: [Int?] = []
            while !container.isAtEnd {
                let element = try container.superDecoder()
                let single = try element.singleValueContainer()
                values.append(single.decodeNil() ? nil : try single.decode(Int.self))
                guard element.codingPath.last?.intValue == values.count - 1 else { throw CancellationError() }
            }
            self.values = values
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            for value in values {
                var single = container.superEncoder().singleValueContainer()
                if let value { try single.encode(value) } else { try single.encodeNil() }
            }
        }
    }

    @Test("The elements of an array are read and written by decoders and encoders for superclasses")
    func superElements() throws {
        try compare(Supers.self, "[1,null,3]", "[]", "[[1]]", "null", "{}")
        try compare([Supers].self, "[[1,2],[null],[]]")
        try compareWriting(Supers(values: [1, nil, 3]))
        try compareWriting([Supers(values: []), Supers(values: [nil])])
    }

    /// Reads on behind the end of an array, as long as no element is asked for that must be there.
    private struct BehindTheEnd: Decodable, Equatable {
        var indices: [Int] = []
        var found: [String] = []

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            func note(_ value: Any?) {
                indices.append(container.currentIndex)
                found.append("\(value ?? "nothing"), \(container.isAtEnd)")
            }
            note(try container.decodeIfPresent(Int.self))
            note(try container.decodeIfPresent(Int.self))
            note(try container.decodeIfPresent(String.self))
            note(try container.decodeIfPresent(Int128.self))
            note(try container.decodeIfPresent(UInt128.self))
            note(try container.decodeIfPresent([Date].self))
            do {
                note(try container.decode(Int.self))
            } catch DecodingError.valueNotFound(_, let context) {
                note(context.codingPath.map(\.intValue))
            }
        }
    }

    @Test("An optional element behind the end of an array is nil, and counts in `currentIndex`")
    func behindTheEnd() throws {
        try compare(BehindTheEnd.self, "[]", "[1]", "[null]", "[1, null]", "[1, 2, null]", #"[1, 2, "a"]"#, "[1, []]")
        let read = try StrictJSONDecoder().decode(BehindTheEnd.self, from: Data("[5]".utf8))
        #expect(read.indices == [1, 2, 3, 3, 3, 4, 4])
    }

    private struct Nils: Decodable, Equatable {
        let found: [String]

        init(from decoder: any Decoder) throws {
            struct Key: CodingKey {
                let stringValue: String
                var intValue: Int? { Int(stringValue) }
                init(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { nil }
            }
            var found: [String] = []
            if let object = try? decoder.container(keyedBy: Key.self) {
                for name in ["a", "b"] {
                    found.append(
                        "\((try? object.decodeNil(forKey: Key(stringValue: name))).map { "\($0)" } ?? "missing")")
                }
                // The order of `allKeys` is not defined.
                found += object.allKeys.map { "\($0.stringValue) \($0.intValue ?? -1)" }.sorted()
            } else if var list = try? decoder.unkeyedContainer() {
                for _ in 0..<3 {
                    found.append(
                        "\((try? list.decodeNil()).map { "\($0)" } ?? "end") \(list.currentIndex)"
                    )
                    found.append(
                        "\((try? list.decodeIfPresent(Int.self)) ?? nil ?? -1) \(list.currentIndex) \(list.isAtEnd)"
                    )
                }
            } else {
                let single = try decoder.singleValueContainer()
                found = ["\(single.decodeNil())", "\(single.decodeNil())"]
            }
            self.found = found
        }
    }

    @Test("A null is found wherever one is asked for")
    func nulls() throws {
        try compare(
            Nils.self, "null", "1", #"{"a":null}"#, #"{"b":1,"a":2,"3":null}"#, "{}", "[null,1]", "[null,null,null]",
            "[1,2]",
            "[]", #"["a",null]"#)
        try compare([Nils].self, #"[null,{"a":null},[null,1],{"a":1},[]]"#)
    }

    // MARK: - Keys

    private enum Direction: String, Codable, CodingKeyRepresentable, CaseIterable { case up, down = "DOWN/é" }
    private enum Plain: String, Codable { case one, two }
    private enum Number: Int, Codable, CodingKeyRepresentable { case one = 1, ten = 10 }

    @Test("Dictionaries by numbers and by enums are read and written in their two ways")
    func dictionaryKeys() throws {
        try compare([Int: String].self, #"{"1":"a","-20":"b"}"#, #"{"x":"a"}"#, #"{"1.0":"a"}"#, "[]", "{}")
        try compare([UInt8: Int].self, #"[1,2,255,4]"#, #"[1,2,256,4]"#, "[1]", #"{"1":2}"#)
        try compare([Direction: Int].self, #"{"up":1,"DOWN/é":2}"#, #"{"left":1}"#, #"["up",1]"#)
        try compare([Plain: Int].self, #"["one",1,"two",2]"#, #"["one"]"#, #"{"one":1}"#)
        try compare([Number: Int].self, #"{"1":1,"10":2}"#, #"{"2":1}"#)
        try compare([String: [Int?]].self, #"{"a":[1,null],"\ud83d\ude00":[],"\u00e9":[2]}"#)
        try compareWriting([10: "a", -2: "b", 1: "c"])
        try compareWriting([Direction.down: 1, .up: 2])
        try compareWriting([Plain.one: 1])
        try compareWriting([Number.ten: [1], .one: []])
        try compareWriting(["b/": ["a10": 1, "a2": 2, "A": 3, "": 4, "é": 5, "😀": 6, "\u{1}\"\\": 7], "a": [:]])
    }

    // MARK: - Synthesized code

    private indirect enum Shape: Codable, Equatable {
        case point
        case circle(radius: Double)
        case pair(Shape, Shape?)
        case labels([String: String], _ number: Int = 3)
    }

    @Test("Enums with associated values are read and written as they are synthesized")
    func enums() throws {
        try compare(
            Shape.self, #"{"point":{}}"#, #"{"circle":{"radius":1e0}}"#, #"{"pair":{"_0":{"point":{}},"_1":null}}"#,
            #"{"pair":{"_0":{"pair":{"_0":{"point":{}}}}}}"#, #"{"point":{},"circle":{"radius":1}}"#, "{}",
            #"{"point":null}"#, #"{"square":{}}"#, #"{"labels":{"_0":{"a":"b"},"number":4}}"#, #"{"circle":{}}"#)
        try compare([Shape?].self, #"[{"point":{}},null,{"circle":{"radius":2}}]"#)
        try compareWriting([
            Shape.point, .circle(radius: 0.1), .pair(.point, nil), .pair(.pair(.point, .point), .point),
        ])
    }

    @propertyWrapper
    private struct Lenient<Value: Codable & Equatable>: Codable, Equatable {
        var wrappedValue: Value?
        init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }
        init(from decoder: any Decoder) throws {
            wrappedValue = try? decoder.singleValueContainer().decode(Value.self)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(wrappedValue)
        }
    }

    private struct Wrapping: Codable, Equatable {
        @Lenient var number: Int?
        @Lenient var list: [Shape]?
        var twice: Int??
        var lists: [[Int?]?]?
    }

    @Test("Property wrappers, optionals of optionals and lists of optional lists are read and written")
    func wrappers() throws {
        try compare(
            Wrapping.self, #"{"number":1,"list":[{"point":{}}],"twice":2,"lists":[[1,null],null,[]]}"#,
            #"{"number":"x","list":[{"point":{}},1],"twice":null,"lists":null}"#, #"{"number":null,"list":null}"#,
            #"{"number":1}"#, #"{"number":1,"list":[],"lists":[1]}"#)
        try compare([[Int?]?].self, "[[1,null],null,[]]", "[[1,null],null,[true]]")
        try compare(Int??.self, "1", "null", #""1""#)
        try compareWriting(Wrapping(number: 1, list: nil, twice: .some(nil), lists: [[1, nil], nil, []]))
    }

    // MARK: - Numbers and depth

    @Test("Numbers at the limits of their types are read or refused alike")
    func numbers() throws {
        let texts = [
            "-0", "-0.0", "0e0", "1e400", "-1e400", "1e-400", "0e999999999999999999", "1e999999999999999999", "1.0",
            "1e3",
            "1.5", "255", "256", "-1", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
            "18446744073709551615", "18446744073709551616", "9007199254740993.0", "5e-324", "2e-324",
            "1.7976931348623157e308",
            "340282366920938463463374607431768211455", "100000000000000000000e-18", "3.4028235e38", "1e39",
        ]
        for text in texts {
            try compare(Double.self, text)
            try compare([Double].self, "[\(text),1]")
            try compare(Int.self, text)
            try compare([Int].self, "[\(text)]")
            try compare(UInt8.self, text)
            try compare(UInt64.self, text)
            try compare(Float.self, text)
            try compare([Float?].self, "[null,\(text)]")
            let ours = try? StrictJSONDecoder().decode(Double.self, from: Data(text.utf8))
            let reference = try? JSONDecoder().decode(Double.self, from: Data(text.utf8))
            #expect(ours?.sign == reference?.sign)
        }
        try compareWriting([
            -0.0, 0.0, .leastNonzeroMagnitude, 1.7976931348623157e308, 1e22, 0.1 + 0.2, 1e16, 123_456_789.0,
        ])
        try compareWriting([Float(0.1), -0, .leastNonzeroMagnitude, .greatestFiniteMagnitude])
    }

    private final class Link: Codable {
        let next: Link?
        init(_ next: Link?) { self.next = next }
    }

    @Test("A value of 100 levels is written and read again")
    func depth() throws {
        var chain = Link(nil)
        for _ in 0..<100 { chain = Link(chain) }
        let body = try StrictJSONEncoder().encode(chain)
        #expect(body == (try JSONEncoder().encode(chain)))
        var count = 0
        var link: Link? = try StrictJSONDecoder().decode(Link.self, from: body)
        while let next = link {
            count += 1
            link = next.next
        }
        #expect(count == 101)
    }

    // MARK: - Lists

    @Test("A list whose element fails lets go of those before it, and names its place")
    func failedList() throws {
        final class Counted: Decodable, Equatable {
            nonisolated(unsafe) static var count = 0  // Used by this test alone.
            let id: Int
            init(from decoder: any Decoder) throws {
                id = try decoder.singleValueContainer().decode(Int.self)
                Self.count += 1
            }
            deinit { Self.count -= 1 }
            static func == (lhs: Counted, rhs: Counted) -> Bool { lhs.id == rhs.id }
        }
        #expect(throws: DecodingError.self) {
            try StrictJSONDecoder().decode([[Counted]].self, from: Data("[[1,2],[3,null]]".utf8))
        }
        #expect(Counted.count == 0)
        do {
            _ = try StrictJSONDecoder().decode([[Counted]].self, from: Data("[[1,2],[3,null]]".utf8))
        } catch DecodingError.valueNotFound(_, let context) {
            #expect(context.codingPath.map(\.intValue) == [1, 1])
        }
        try compare([[Counted]].self, "[[1],[2,3],[]]", "[[1],2]", "[[1],null]", "{}")
    }
}
