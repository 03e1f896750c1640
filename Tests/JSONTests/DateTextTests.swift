import Foundation
import JSON
import Testing

@Suite("Dates as text")
struct DateTextTests {
    @Test(
        "A colon, the character after 9, is no digit",
        arguments: [
            "1:26-01-01T00:00:00Z", "20:6-01-01T00:00:00Z", "2026-01-0:T00:00:00Z", "2026-01-01T0::00:00Z",
            "2026-01-01T00:0::00Z",
        ])
    func colon(text: String) throws {
        let foundation = JSONDecoder()
        foundation.dateDecodingStrategy = .iso8601
        let decoder = try #require(StrictJSONDecoder(settingsOf: foundation))
        let body = Data("[\"\(text)\"]".utf8)
        #expect(throws: DecodingError.self) { try decoder.decode([Date].self, from: body) }
        #expect(throws: DecodingError.self) { try foundation.decode([Date].self, from: body) }
    }
}
