import Foundation
import JSON
import Testing

@Suite("Lists that are decoded element by element")
struct ListDecodingTests {
    /// Reads a list of numbers and nulls.
    private struct Numbers: Decodable, Equatable {
        var values: [Int?] = []

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            while !container.isAtEnd {
                values.append(try container.decodeNil() ? nil : container.decode(Int.self))
            }
        }
    }

    @Test("decodeNil passes a null, and leaves what is none")
    func nulls() throws {
        let numbers = try StrictJSONDecoder().decode(Numbers.self, from: Data("[1, null, 2, null]".utf8))
        #expect(numbers.values == [1, nil, 2, nil])
    }

    @Test("A null is not a list, and the error says that a value is missing")
    func nullForList() {
        struct Film: Decodable {
            var cast: [String]
        }
        #expect {
            try StrictJSONDecoder().decode(Film.self, from: Data(#"{"cast":null}"#.utf8))
        } throws: { error in
            guard case DecodingError.valueNotFound(_, let context) = error else { return false }
            return context.codingPath.map(\.stringValue) == ["cast"]
        }
    }
}
