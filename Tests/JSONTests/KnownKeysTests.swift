import Foundation
import JSONSamples
import Testing

@testable import JSON

/// A decoder reads the next body with the keys that it has learnt from those before.
@Suite("Keys that are known from other bodies")
struct KnownKeysTests {
    private struct Row: Decodable, Equatable {
        var id: Int
        var createdAt: String?
        var veryLongName: Int?
        var part: Part?

        struct Part: Decodable, Equatable {
            var id: Int
            var width: Int?
        }

        enum CodingKeys: String, CodingKey {
            case id, part
            case createdAt = "created_at"
            case veryLongName = "a_key_of_more_than_sixteen_bytes"
        }

        init(_ dice: inout Dice) {
            id = dice.next(below: 1_000)
            createdAt = dice.hits(oneIn: 2) ? "at \(id)" : nil
            veryLongName = dice.hits(oneIn: 3) ? nil : -id
            part = dice.hits(oneIn: 2) ? Part(id: id + 1, width: dice.hits(oneIn: 2) ? 7 : nil) : nil
        }

        /// The row as an object, with the white space that a service has, and its members in any order.
        func json(_ space: (inner: String, line: String), _ dice: inout Dice) -> String {
            var members = ["\"id\":\(space.inner)\(id)"]
            if let createdAt { members.append("\"created_at\":\(space.inner)\"\(createdAt)\"") }
            if let veryLongName {
                members.append("\"a_key_of_more_than_sixteen_bytes\":\(space.inner)\(veryLongName)")
                members.append("\"a_key_of_more_than_sixteen_byte\":\(space.inner)null")
            }
            if let part {
                let width = part.width.map { ",\(space.line)\"width\":\(space.inner)\($0)" } ?? ""
                members.append("\"part\":\(space.inner){\"id\":\(space.inner)\(part.id)\(width)}")
            }
            return "{\(space.line)\(members.shuffled(using: &dice).joined(separator: ",\(space.line)"))}"
        }
    }

    @Test(
        "Bodies are read one after the other, whatever the order of their keys and their white space",
        arguments: 0..<4 as Range<UInt64>)
    func bodies(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let spaces = [("", ""), (" ", "\n                    "), ("\t", "\r\n\t\t\t\t\t\t\t\t\t\t"), ("  ", " ")]
        for _ in 0..<100 {
            let space = spaces[dice.next(below: spaces.count)]
            let rows = (0...dice.next(below: 12)).map { _ in Row(&dice) }
            let texts = rows.map { $0.json(space, &dice) }
            let list = Data("[\(texts.joined(separator: ","))]".utf8)
            #expect(try StrictJSONDecoder().decode([Row].self, from: list) == rows)
            #expect(try StrictJSONDecoder().decode(Row.self, from: Data(texts[0].utf8)) == rows[0])
        }
    }

    private struct Person: Decodable {
        var firstName: Int
    }

    @Test("Where a type finds its keys depends on the strategy for keys, from body to body")
    func strategies() throws {
        let list = Data(
            "[\(repeatElement(#"{"first_name":1,"firstName":2,"FIRSTNAME":3}"#, count: 200).joined(separator: ","))]"
                .utf8)
        func names(_ strategy: JSONDecoder.KeyDecodingStrategy) throws -> Set<Int> {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = strategy
            let strict = try #require(StrictJSONDecoder(settingsOf: decoder))
            return Set(try strict.decode([Person].self, from: list).map(\.firstName))
        }
        for _ in 0..<3 {
            #expect(try names(.useDefaultKeys) == [2])
            #expect(
                try names(.custom { $0[1].stringValue == "FIRSTNAME" ? NameKey("firstName") : NameKey("other") }) == [3]
            )
            #expect(try names(.convertFromSnakeCase) == [1])
        }
    }

    @Test("A key that occurs twice is refused each time")
    func twice() {
        for body in [#"[{"id":1,"id":2}]"#, #"{"part":{"id":1,"id":2},"id":3}"#, #"{"id":1,"id":2}"#] {
            for _ in 0..<3 {
                #expect(throws: JSONFault.self) { try StrictJSONDecoder().decode([Row].self, from: Data(body.utf8)) }
            }
        }
    }

    // MARK: - In the index

    /// The shapes of the elements of lists that one index reads, one after the other; `nil` where it has forgotten them afterwards.
    private func shapes(_ lists: [String]) throws -> [[UInt32]?] {
        let index = JSONIndex()
        return try lists.map { list in
            try Array(list.utf8).withUnsafeBufferPointer { bytes in
                try index.scan(bytes)
                let shapes = JSONNode(index: index, position: 0).elements.map { index.shape(at: $0.position) }
                return index.clear() ? shapes : nil
            }
        }
    }

    @Test("Objects with the same keys have one shape in all bodies, and others have their own")
    func shapes() throws {
        let long = "a key of more than sixteen bytes"
        let found = try shapes([
            #"[{"a":0,"\#(long)":0},{"\#(long)":0},{}]"#,
            #"[{ "a" : 1 , "\#(long)" : 2 },{"\#(long)!":0},{"a":0}]"#,
            #"[{"\#(long)!":0},{"a":0},{"\#(long)":0},{"a":0,"\#(long)":0},{}]"#,
        ]).map { try #require($0) }
        #expect(Set(found.joined()).count == 5)
        #expect(found[1][0] == found[0][0])
        #expect(found[2] == [found[1][1], found[1][2], found[0][1], found[0][0], found[0][2]])
    }

    /// Bodies with a number of keys.
    enum Keys: CaseIterable {
        case inOnePlace, inOutermostObject, inObject

        func body(_ count: Int) -> String {
            let members = (0..<count).map { "\"k\($0)\":0" }
            return switch self {
            case .inOnePlace: "[\(members.map { "{\($0)}" }.joined(separator: ","))]"
            case .inOutermostObject: "{\(members.joined(separator: ","))}"
            case .inObject: "[{\(members.joined(separator: ","))}]"
            }
        }
    }

    @Test(
        "Keys are forgotten if there are too many in one place or in one object",
        arguments: zip(Keys.allCases, [8, 64, 4_095]))
    func forgetting(keys: Keys, limit: Int) throws {
        #expect(try shapes([keys.body(limit)])[0] != nil)
        #expect(try shapes([keys.body(limit + 1)])[0] == nil)
    }

    @Test("Very long keys are forgotten")
    func longKeys() throws {
        for (length, isKept) in [(100_000, true), (200_000, false)] {
            let key = String(repeating: "k", count: length)
            #expect(try (shapes(["[{\"\(key)\":0}]"])[0] != nil) == isKept)
        }
    }

    @Test("Keys are recognized again where the white space around them has changed for good")
    func whiteSpace() throws {
        let tree = JSONKeyTree()
        defer { tree.deallocate() }
        try read(#"[{"a":0,"b":0}]"#, tree) { _, _, _ in }
        for _ in 0..<2 {
            try read("[{\n  \"a\": 0,\n  \"b\": 0\n}]", tree) { tree, bytes, end in
                let first = tree.next(after: 0, at: 2, bytes, end: end)
                #expect(first != JSONKeyTree.none)
                #expect(tree.next(after: first, at: 11, bytes, end: end) != JSONKeyTree.none)
            }
        }
    }

    /// Reads a body with a tree, which must not grow beyond its first memory, and calls a function with the tree and the bytes.
    private func read(
        _ text: String, _ tree: JSONKeyTree, _ check: (JSONKeyTree, UnsafePointer<UInt8>, _ end: Int) -> Void
    ) throws {
        let bytes = Array(text.utf8) + Array(repeating: UInt8(ascii: " "), count: 16)
        try bytes.withUnsafeBufferPointer { buffer in
            let start = try #require(buffer.baseAddress)
            var scanner = JSONScanner(start, count: bytes.count, JSONTape(bodySize: bytes.count), tree)
            defer { scanner.tape.deallocate() }
            try scanner.scan()
            check(scanner.keys, start, bytes.count)
        }
    }
}
