import Foundation
import JSON
import JSONSamples
import Testing

@Suite("StrictJSONDecoder")
struct StrictJSONDecoderTests {
    private struct City: Codable, Equatable {
        var id: Int
        var name: String
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try StrictJSONDecoder().decode(type, from: Data(text.utf8))
    }

    /// The coding path and the description of the error with which a text is refused.
    private func error<Value: Decodable>(_ type: Value.Type, _ text: String) -> (path: String, description: String)? {
        do {
            _ = try decode(type, text)
            return nil
        } catch {
            let context: DecodingError.Context? =
                switch error as? DecodingError {
                case .keyNotFound(_, let context), .valueNotFound(_, let context), .typeMismatch(_, let context),
                    .dataCorrupted(let context):
                    context
                default: nil
                }
            return context.map { ($0.codingPath.map(\.stringValue).joined(separator: "/"), $0.debugDescription) }
        }
    }

    // MARK: - What is kept

    /// Keeps its decoder and a container, to read from them later.
    private struct Keeper: Decodable {
        let decoder: any Decoder
        let container: KeyedDecodingContainer<Probe.Key>
        let name: String

        init(from decoder: any Decoder) throws {
            self.decoder = decoder
            container = try decoder.container(keyedBy: Probe.Key.self)
            name = try container.decode(String.self, forKey: Probe.Key("name"))
        }
    }

    @Test("A decoder and a container that a type keeps read their own value for ever")
    func escaping() throws {
        let names = (0..<20).map { "A name of more than fifteen bytes, number \($0)" }
        var keepers: [Keeper] = []
        do {
            let text = "[\(names.map { #"{"id":1,"name":"\#($0)"}"# }.joined(separator: ","))]"
            keepers = try decode([Keeper].self, text)
        }
        for (number, keeper) in keepers.enumerated() {
            #expect(keeper.name == names[number])
            #expect(try keeper.container.decode(String.self, forKey: Probe.Key("name")) == names[number])
            #expect(try City(from: keeper.decoder).name == names[number])
            #expect(keeper.decoder.codingPath.map(\.intValue) == [number])
            #expect(keeper.container.codingPath.map(\.intValue) == [number])
        }
    }

    @Test("A decoder that was kept and read from later is let go with what it belongs to")
    func escapingIsFreed() throws {
        final class Canary: Sendable {}
        struct Lazy: Decodable {
            let decoder: any Decoder
            init(from decoder: any Decoder) { self.decoder = decoder }
        }
        weak var canary: Canary?
        do {
            let decoder = JSONDecoder()
            let key = try #require(CodingUserInfoKey(rawValue: "canary"))
            decoder.userInfo[key] = Canary()
            canary = decoder.userInfo[key] as? Canary
            let strict = try #require(StrictJSONDecoder(settingsOf: decoder))
            let kept = try strict.decode([Lazy].self, from: Data(#"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#.utf8))
            #expect(canary != nil)
            #expect(try kept.map { try City(from: $0.decoder).name } == ["a", "b"])
            #expect(try kept.map { try City(from: $0.decoder).name } == ["a", "b"])
        }
        #expect(canary == nil)
    }

    @Test("An array that is being read can be kept and read on")
    func escapingArray() throws {
        struct Lazy: Decodable {
            var rest: any UnkeyedDecodingContainer

            init(from decoder: any Decoder) throws {
                rest = try decoder.unkeyedContainer()
                _ = try rest.decode(Int.self)
            }
        }
        var lists = try decode([Lazy].self, #"[[1,2,3],[4,5],[6]]"#)
        #expect(try lists[0].rest.decode(Int.self) == 2)
        #expect(try lists[1].rest.decode(Int.self) == 5)
        #expect(lists[1].rest.isAtEnd && lists[2].rest.isAtEnd)
        #expect(try lists[0].rest.decode(Int.self) == 3)
    }

    @Test("Two containers of one object, with keys of different types, do not disturb each other")
    func twoContainers() throws {
        struct Both: Decodable {
            enum First: String, CodingKey { case a, c }
            enum Second: String, CodingKey { case b, d }
            var values: [Int] = []

            init(from decoder: any Decoder) throws {
                let first = try decoder.container(keyedBy: First.self)
                let second = try decoder.container(keyedBy: Second.self)
                values.append(try first.decode(Int.self, forKey: .c))
                values.append(try second.decode(Int.self, forKey: .d))
                values.append(try first.decode(Int.self, forKey: .a))
                values.append(try second.decode(Int.self, forKey: .b))
            }
        }
        let both = try decode([Both].self, #"[{"a":1,"b":2,"c":3,"d":4},{"a":5,"b":6,"c":7,"d":8}]"#)
        #expect(both.map(\.values) == [[3, 4, 1, 2], [7, 8, 5, 6]])
    }

    // MARK: - Classes and configurations

    private class Animal: Decodable {
        let name: String
    }

    private final class Dog: Animal {
        let breed: String

        enum CodingKeys: String, CodingKey { case breed }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            breed = try container.decode(String.self, forKey: .breed)
            try super.init(from: container.superDecoder())
        }
    }

    @Test("A superclass reads its part, and says so if there is none")
    func superclasses() throws {
        let dog = try decode(Dog.self, #"{"breed":"Beagle","super":{"name":"Rex"}}"#)
        #expect(dog.name == "Rex" && dog.breed == "Beagle")
        #expect(error(Dog.self, #"{"breed":"Beagle"}"#)?.path == "super")
    }

    private struct Scaled: DecodableWithConfiguration {
        let value: Int

        init(from decoder: any Decoder, configuration factor: Int) throws {
            value = try decoder.singleValueContainer().decode(Int.self) * factor
        }
    }

    private struct Scales: DecodableWithConfiguration {
        let values: [Int]

        init(from decoder: any Decoder, configuration factor: Int) throws {
            let container = try decoder.container(keyedBy: Probe.Key.self)
            values = [
                try container.decode(Scaled.self, forKey: Probe.Key("a"), configuration: factor).value,
                try container.decodeIfPresent(Scaled.self, forKey: Probe.Key("b"), configuration: factor)?.value ?? 0,
            ]
        }
    }

    @Test("A configuration is passed on, to the value and to its parts")
    func configurations() throws {
        for text in [#"{"a":2}"#, #"{"b":3,"a":2}"#, #"{"a":2,"b":null}"#, #"{"b":1}"#] {
            let body = Data(text.utf8)
            let reference = try? JSONDecoder().decode(Scales.self, from: body, configuration: 10)
            let ours = try? StrictJSONDecoder().decode(Scales.self, from: body, configuration: 10)
            #expect(ours?.values == reference?.values, "\(text)")
        }
        let body = Data(#"{"b":3,"a":2}"#.utf8)
        #expect(try StrictJSONDecoder().decode(Scales.self, from: body, configuration: 10).values == [20, 30])
    }

    // MARK: - Errors

    @Test("Errors have the path and the words that those of JSONDecoder have")
    func errors() {
        struct Page: Decodable { var cities: [City] }
        let name = error(Page.self, #"{"cities":[{"id":1,"name":"x"},{"id":2,"name":7}]}"#)
        #expect(name?.path == "cities/Index 1/name")
        #expect(name?.description == "Expected to decode String but found number instead.")
        #expect(error(Page.self, #"{"cities":[{"id":1}]}"#)?.path == "cities/Index 0")
        #expect(error(Page.self, #"{"cities":[{"id":1,"name":null}]}"#)?.path == "cities/Index 0/name")
        #expect(error(Page.self, #"{"cities":{}}"#)?.description.hasPrefix("Expected to decode Array<Any>") == true)
        #expect(error([String: [Int]].self, #"{"a":[1,"2"]}"#)?.path == "a/Index 1")
        let number = error([UInt8].self, "[1,300]")
        #expect(number?.path == "Index 1")
        #expect(number?.description == "The number 300 does not fit the type that it is read as.")
    }

    /// The name of the only member of an object.
    private struct MemberName: Decodable, Equatable {
        private struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        let name: String?

        init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: Key.self).allKeys.first?.stringValue
        }
    }

    @Test("Keys of any form are converted from snake case as JSONDecoder converts them")
    func snakeCase() throws {
        var dice = Dice(seed: 1)
        let pieces = ["a", "bc", "_", "_", "A", "BC", "1", "2nd", "é", "-", " "]
        let names = (0..<2_000).map { _ in
            (0..<dice.next(below: 7)).map { _ in pieces[dice.next(below: pieces.count)] }.joined()
        }
        let body = Data("[\(names.map { "{\"\($0)\":0}" }.joined(separator: ","))]".utf8)
        let foundation = JSONDecoder()
        foundation.keyDecodingStrategy = .convertFromSnakeCase
        let strict = try #require(StrictJSONDecoder(settingsOf: foundation))
        let expected = try foundation.decode([MemberName].self, from: body)
        for (read, (name, expected)) in zip(try strict.decode([MemberName].self, from: body), zip(names, expected)) {
            #expect(read == expected, "\(name)")
        }
    }

    /// The words of the errors of a value that is read as one type after the other.
    private struct Tries: Decodable {
        var words: [String] = []

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            tryType { _ = try value.decode(Bool.self) }
            tryType { _ = try value.decode(Int.self) }
            tryType { _ = try value.decode([Int].self) }
            tryType { _ = try value.decode([String: Int].self) }
        }

        private mutating func tryType(_ read: () throws -> Void) {
            do {
                try read()
            } catch DecodingError.typeMismatch(_, let context) {
                words.append(context.debugDescription)
            } catch {}
        }
    }

    @Test("The errors of a type that tries one type after the other have the words for each of them")
    func severalTypes() throws {
        let read = try decode([Tries].self, #"["x",{},"y",{}]"#).map(\.words)
        let string = ["Bool", "Int", "Array<Any>", "Dictionary<String, Any>"].map {
            "Expected to decode \($0) but found a string instead."
        }
        let object = ["Bool", "Int", "Array<Any>"].map { "Expected to decode \($0) but found a dictionary instead." }
        #expect(read == [string, object, string, object])
    }

    @Test("A settings object that can't be followed is not followed")
    func unreadableSettings() {
        final class Subclass: JSONDecoder, @unchecked Sendable {}
        let lenient = JSONDecoder()
        lenient.allowsJSON5 = true
        let decoders = [Subclass(), lenient, JSONDecoder()]
        #expect(decoders.map { StrictJSONDecoder(settingsOf: $0) != nil } == [false, false, true])
    }

    // MARK: - Size

    @Test("A thousand keys are found in any order, in objects of many shapes")
    func wideObjects() throws {
        struct Wide: Decodable {
            let values: [Int]

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Probe.Key.self)
                values = try (0..<1_000).reversed().map {
                    try container.decodeIfPresent(Int.self, forKey: Probe.Key("field\($0)")) ?? -1
                }
            }
        }
        let rows = (0..<8).map { row in
            "{\((0..<1_000).filter { $0 % 8 != row % 4 }.map { #""field\#($0)":\#($0 + row)"# }.joined(separator: ","))}"
        }
        let values = try decode([Wide].self, "[\(rows.joined(separator: ","))]").map(\.values)
        for (row, values) in values.enumerated() {
            #expect(values.reversed().enumerated().allSatisfy { $1 == ($0 % 8 == row % 4 ? -1 : $0 + row) })
        }
    }

    @Test(
        "Rows that leave out keys, or have them in another order, are read as they are",
        arguments: 0..<20 as Range<UInt64>)
    func sparseRows(seed: UInt64) throws {
        struct Row: Decodable, Equatable {
            var b: Int?
            var a: Int?
            var list: [Int]?
            var k70: Int?
            var inner: [String: Int]?
            var z: Int?
        }
        var dice = Dice(seed: seed)
        let keys = ["a", "b", "inner", "list"] + (0..<72).map { "k\($0)" } + ["z"]
        let width = [5, 20, keys.count][dice.next(below: 3)]
        var wanted: [[String: Int]] = []
        var rows: [String] = []
        for number in 0..<200 {
            var present = (keys.prefix(4) + keys.suffix(width - 4)).filter { _ in !dice.hits(oneIn: 5) }
            if dice.hits(oneIn: 10) { present.shuffle(using: &dice) }
            if number % 40 > 20 { present.removeAll { $0 == "b" || $0 == "k70" } }
            wanted.append(Dictionary(uniqueKeysWithValues: present.map { ($0, number) }))
            rows.append(
                "{"
                    + present.map { key in
                        let value = key == "list" ? "[\(number)]" : key == "inner" ? #"{"x":\#(number)}"# : "\(number)"
                        return "\"\(key)\":\(value)"
                    }.joined(separator: ",") + "}")
        }
        let read = try decode([Row].self, "[\(rows.joined(separator: ","))]")
        for (number, row) in read.enumerated() {
            let wanted = wanted[number]
            let expected = Row(
                b: wanted["b"], a: wanted["a"], list: wanted["list"].map { [$0] }, k70: wanted["k70"],
                inner: wanted["inner"].map { ["x": $0] }, z: wanted["z"])
            #expect(row == expected, "row \(number)")
        }
        // The same rows with one key twice are refused.
        let row = dice.next(below: rows.count)
        guard let key = wanted[row].keys.sorted().first else { return }
        rows[row] = rows[row].dropLast() + ",\"\(key)\":0}"
        #expect(throws: JSONFault.self) { try decode([Row].self, "[\(rows.joined(separator: ","))]") }
    }

    @Test("A body of 65 MB is read", .timeLimit(.minutes(5)))
    func largeBody() throws {
        let filler = String(repeating: "x", count: 10_000)
        let element = #"{"id":1,"name":"\#(filler)"}"#
        var body = Data("[".utf8)
        for number in 0..<6_600 {
            if number > 0 { body.append(UInt8(ascii: ",")) }
            body.append(contentsOf: element.utf8)
        }
        body.append(UInt8(ascii: "]"))
        #expect(body.count > 65_000_000)
        let cities = try StrictJSONDecoder().decode([City].self, from: body)
        #expect(cities.count == 6_600 && cities.allSatisfy { $0.name.utf8.count == 10_000 })
    }
}
