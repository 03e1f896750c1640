import Foundation
import JSON
import Testing

/// Decoders are used for one body after the other.
@Suite("The reuse of decoders")
struct DecoderReuseTests {
    private final class Token: Sendable {}

    /// A key that holds an object.
    private struct TokenKey: CodingKey {
        let token: Token
        let stringValue: String
        var intValue: Int? { nil }

        init(_ token: Token) { (self.token, stringValue) = (token, "inner") }
        init?(stringValue: String) { return nil }
        init?(intValue: Int) { return nil }
    }

    private static let token = CodingUserInfoKey(rawValue: "token").unsafelyUnwrapped

    private struct Inner: Decodable {
        let id: Int
    }

    private struct Outer: Decodable {
        let inner: Inner

        init(from decoder: any Decoder) throws {
            let token = try #require(decoder.userInfo[DecoderReuseTests.token] as? Token)
            inner = try decoder.container(keyedBy: TokenKey.self).decode(Inner.self, forKey: TokenKey(token))
        }
    }

    @Test("The user info and the keys of a body are let go of with it", arguments: [true, false])
    func lettingGo(isWhole: Bool) throws {
        weak var last: Token?
        do {
            let token = Token()
            last = token
            let decoder = JSONDecoder()
            decoder.userInfo[Self.token] = token
            let strict = try #require(StrictJSONDecoder(settingsOf: decoder))
            let outer = try? strict.decode(Outer.self, from: Data((isWhole ? #"{"inner":{"id":1}}"# : "[").utf8))
            #expect(outer?.inner.id == (isWhole ? 1 : nil))
        }
        #expect(last == nil)
    }

    /// Keeps its decoder, and a container of it.
    private struct Keeper: Decodable {
        let decoder: any Decoder
        let container: KeyedDecodingContainer<Key>

        enum Key: String, CodingKey { case id }

        init(from decoder: any Decoder) throws {
            self.decoder = decoder
            container = try decoder.container(keyedBy: Key.self)
        }

        func ids() throws -> [Int] {
            [try Inner(from: decoder).id, try container.decode(Int.self, forKey: .id)]
        }
    }

    @Test("A decoder that a type has kept reads its own body after others were decoded")
    func kept() throws {
        func body(_ number: Int) -> Data { Data(#"{"other":[],"id":\#(number)}"#.utf8) }
        let keepers = try (0..<20).map { try StrictJSONDecoder().decode(Keeper.self, from: body($0)) }
        for number in 20..<40 {
            #expect(try StrictJSONDecoder().decode(Inner.self, from: body(number)).id == number)
        }
        #expect(try keepers.map { try $0.ids() } == (0..<20).map { [$0, $0] })
    }

    private struct Counts: Decodable {
        let perCity: [String: Int]
    }

    @Test("The key strategy of one body does not count for the next")
    func keyStrategies() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let converting = try #require(StrictJSONDecoder(settingsOf: decoder))
        for _ in 0..<3 {
            let sent = try StrictJSONDecoder().decode(Counts.self, from: Data(#"{"perCity":{"new_york":1}}"#.utf8))
            #expect(sent.perCity == ["new_york": 1])
            let converted = try converting.decode(Counts.self, from: Data(#"{"per_city":{"new_york":2}}"#.utf8))
            #expect(converted.perCity == ["new_york": 2])
        }
    }

    /// A body in a string of another body.
    private struct Wrapped: Decodable {
        let id: Int
        let inner: Inner

        enum Key: String, CodingKey { case id, inner }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let text = try container.decode(String.self, forKey: .inner)
            inner = try StrictJSONDecoder().decode(Inner.self, from: Data(text.utf8))
            id = try container.decode(Int.self, forKey: .id)
        }
    }

    @Test("Bodies can be decoded while another one is, and on several threads at once")
    func nested() {
        DispatchQueue.concurrentPerform(iterations: 400) { number in
            let body = Data(#"[{"inner":"{\"id\":\#(number)}","id":\#(-number)}]"#.utf8)
            let wrapped = try? StrictJSONDecoder().decode([Wrapped].self, from: body)
            #expect(wrapped?.map(\.inner.id) == [number])
            #expect(wrapped?.map(\.id) == [-number])
        }
    }
}
