import Foundation
import JSON
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
}
