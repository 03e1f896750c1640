import Foundation
import JSON
import JSONSamples
import Testing

@Suite("Objects of many members")
struct WideObjectTests {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ number: Int) { stringValue = "k\(number)" }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Asks for its keys from the last to the first.
    private struct Backwards: Decodable, Equatable {
        var values: [[Int]] = []

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            for number in (0..<40).reversed() { values.append(try container.decode([Int].self, forKey: Key(number))) }
        }
    }

    @Test("Keys that are asked for from the last to the first have their values, in each object of a list")
    func backwards() throws {
        let rows = (0..<2).map { row in
            "{" + (0..<40).map { "\"k\($0)\":[\(row),\($0)]" }.joined(separator: ",") + "}"
        }
        let body = Data("[\(rows.joined(separator: ","))]".utf8)
        let read = try StrictJSONDecoder().decode([Backwards].self, from: body)
        for row in 0..<2 { #expect(read[row].values == (0..<40).reversed().map { [row, $0] }) }
    }

    /// Asks for some of its keys, in the order of the body with steps of one to thirty keys, and for one that is not there.
    private struct Part: Decodable, Equatable {
        var values: [Int?] = []

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            for number in [0, 1, 3, 6, 90, 18, 34, 35, 65, 99, 64, 2] {
                values.append(try container.decodeIfPresent(Int.self, forKey: Key(number)))
            }
        }
    }

    @Test("Keys that are asked for in order, with others between them, have their values")
    func partInOrder() throws {
        let row = "{" + (0..<70).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}"
        let read = try StrictJSONDecoder().decode([Part].self, from: Data("[\(row),\(row),\(row)]".utf8))
        for part in read { #expect(part.values == [0, 1, 3, 6, nil, 18, 34, 35, 65, nil, 64, 2]) }
    }

    /// Asks for many keys in an order of its own, and for others that are not there.
    private struct AnyOrder: Decodable {
        @TaskLocal static var names: [String] = []
        var values: [String: Int] = [:]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            for name in Self.names {
                values[name] = try container.decodeIfPresent(Int.self, forKey: Key(stringValue: name))
            }
        }
    }

    @Test(
        "Keys are found in any order, and others are missing, in objects of any width",
        arguments: [1, 15, 16, 17, 40, 63, 64, 65, 100])
    func anyOrder(width: Int) throws {
        var dice = Dice(seed: UInt64(width))
        let names = (0..<width).map { $0 % 7 == 3 ? "é\($0)" : "k\($0)" }
        let objects = (0..<20).map { _ in names.filter { _ in !dice.hits(oneIn: 30) }.shuffled(using: &dice) }
        let rows = objects.map { "{" + $0.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",") + "}" }
        // Written in the other one of two equivalent ways.
        let decomposed = names.map { $0.replacing("é", with: "e\u{301}") }
        for asked in [names, names.shuffled(using: &dice), decomposed, ["K1", "k", "k01", "è3", ""] + names] {
            let read = try AnyOrder.$names.withValue(asked) {
                try StrictJSONDecoder().decode([AnyOrder].self, from: Data("[\(rows.joined(separator: ","))]".utf8))
            }
            for (part, object) in zip(read, objects) {
                #expect(part.values == Dictionary(uniqueKeysWithValues: object.enumerated().map { ($1, $0) }))
            }
        }
    }

    /// Encodes a container for each of many keys, and then for each again.
    private struct Nested: Encodable {
        let count: Int

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            for round in 0..<2 {
                for number in 0..<count {
                    var nested = container.nestedContainer(keyedBy: Key.self, forKey: Key(number))
                    try nested.encode(round, forKey: Key(round))
                }
            }
        }
    }

    @Test("A container that is asked for again goes on, in objects of any width", arguments: [1, 15, 16, 17, 40])
    func continued(count: Int) throws {
        let written = String(decoding: try StrictJSONEncoder().encode(Nested(count: count)), as: UTF8.self)
        let members = (0..<count).map { "\"k\($0)\":{\"k0\":0,\"k1\":1}" }
        #expect(written == "{\(members.joined(separator: ","))}")
    }

    /// Encodes two containers for a key, with a value of the same key between them.
    private struct Replaced: Encodable {
        let width: Int

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            for number in 1..<width { try container.encode(number, forKey: Key(number)) }
            _ = container.nestedUnkeyedContainer(forKey: Key(0))
            try? container.encode(Double.nan, forKey: Key(0))
            var list = container.nestedUnkeyedContainer(forKey: Key(0))
            try list.encode(7)
        }
    }

    @Test("A value that could not be encoded does not hide the container before it", arguments: [5, 40])
    func afterFailure(width: Int) throws {
        let written = String(decoding: try StrictJSONEncoder().encode(Replaced(width: width)), as: UTF8.self)
        #expect(written.hasSuffix("\"k0\":[7]}"))
    }

    @Test("Encoding takes time by the number of containers, not by its square")
    func pace() throws {
        let time = try ContinuousClock().measure { _ = try StrictJSONEncoder().encode(Nested(count: 20_000)) }
        #expect(time < .seconds(20))
    }
}
