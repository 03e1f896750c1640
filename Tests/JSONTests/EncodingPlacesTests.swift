import Foundation
import JSON
import Testing

@Suite("Where the encoder is")
struct EncodingPlacesTests {
    private struct Film: Encodable {
        var title = "Alien"
        var id = 1
        var cast = ["Weaver"]
    }

    /// Fails to encode, and tells where.
    private struct Refusing: Encodable {
        var refuses = true

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            guard refuses else { return try container.encode(1) }
            throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: "refused"))
        }
    }

    @Test("Members stand in the order in which they were encoded")
    func order() throws {
        let text = String(decoding: try StrictJSONEncoder().encode(Film()), as: UTF8.self)
        #expect(text == #"{"title":"Alien","id":1,"cast":["Weaver"]}"#)
    }

    @Test("The coding path of an error leads to the member that failed, not to one before it")
    func codingPath() {
        struct Pair: Encodable {
            var first = Refusing(refuses: false)
            var second = Refusing()
        }
        #expect {
            try StrictJSONEncoder().encode(Pair())
        } throws: { error in
            guard case EncodingError.invalidValue(_, let context) = error else { return false }
            return context.codingPath.map(\.stringValue) == ["second"]
        }
    }

    @Test("An element that could not be written leaves no trace if its error is caught")
    func caught() throws {
        struct Patient: Encodable {
            func encode(to encoder: any Encoder) throws {
                var list = encoder.unkeyedContainer()
                try list.encode(1)
                #expect(throws: EncodingError.self) { try list.encode(Double.nan) }
                #expect(throws: EncodingError.self) { try list.encode(-Float.infinity) }
                try list.encode(2)
            }
        }
        #expect(try StrictJSONEncoder().encode(Patient()) == JSONEncoder().encode(Patient()))
        #expect(try StrictJSONEncoder().encode(Patient()) == Data("[1,2]".utf8))
    }

    @Test("A decimal that is not a number is refused, since JSON has none, and its error says where it stands")
    func decimal() {
        for prices in [["a": [Decimal.nan]], ["a": [1, .quietNaN]]] {
            #expect {
                try StrictJSONEncoder().encode(prices)
            } throws: { error in
                guard case EncodingError.invalidValue(_, let context) = error else { return false }
                return context.codingPath.map(\.stringValue) == ["a", "Index \(prices["a", default: []].count - 1)"]
            }
        }
        #expect(throws: EncodingError.self) { try StrictJSONEncoder().encode(Decimal.nan) }
    }

    @Test("The coding path of an error in nested containers leads through them")
    func nestedPath() {
        struct Nested: Encodable {
            func encode(to encoder: any Encoder) throws {
                var outer = encoder.container(keyedBy: Probe.Key.self)
                var list = outer.nestedUnkeyedContainer(forKey: Probe.Key("list"))
                try list.encode(1)
                var inner = list.nestedContainer(keyedBy: Probe.Key.self)
                try inner.encode(Refusing(), forKey: Probe.Key("film"))
            }
        }
        #expect {
            try StrictJSONEncoder().encode(Nested())
        } throws: { error in
            guard case EncodingError.invalidValue(_, let context) = error else { return false }
            return context.codingPath.map(\.stringValue) == ["list", "Index 1", "film"]
        }
    }
}
