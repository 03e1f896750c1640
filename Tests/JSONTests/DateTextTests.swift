import Foundation
import JSON
import Testing

@Suite("Dates as text")
struct DateTextTests {
    @Test(
        "A colon, the character after 9, is not a digit",
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

    @Test("A date with another character where a separator belongs is read only if JSONDecoder reads it")
    func separators() throws {
        let foundation = JSONDecoder()
        foundation.dateDecodingStrategy = .iso8601
        let decoder = try #require(StrictJSONDecoder(settingsOf: foundation))
        for place in [4, 7, 10, 13, 16, 19] {
            for other in ["x", "-", ":", "T", "Z", " "] {
                let text = "2026-01-02T03:04:05Z"
                let index = text.index(text.startIndex, offsetBy: place)
                let body = Data("[\"\(text.replacingCharacters(in: index...index, with: other))\"]".utf8)
                let dates = try? decoder.decode([Date].self, from: body)
                #expect(dates == (try? foundation.decode([Date].self, from: body)), "\(other) at \(place)")
            }
        }
    }

    @Test(
        "Each day of a year is the one that JSONDecoder reads, and a day that the month does not have is none",
        arguments: [1969, 1970, 1971, 1972, 1999, 2000, 2001, 2024, 2100, 2400, 2999, 3000])
    func days(year: Int) throws {
        let foundation = JSONDecoder()
        foundation.dateDecodingStrategy = .iso8601
        let decoder = try #require(StrictJSONDecoder(settingsOf: foundation))
        for month in 0...13 {
            for day in [0, 1, 2, 28, 29, 30, 31, 32] {
                let text = String(
                    format: "\"%04d-%02d-%02dT%02d:%02d:59Z\"", year, month, day, month + 10, 2 * day % 60)
                let date = try? decoder.decode(Date.self, from: Data(text.utf8))
                #expect(date == (try? foundation.decode(Date.self, from: Data(text.utf8))), "\(text)")
            }
        }
    }

    @Test(
        "Hours, minutes and seconds are read to their limits",
        arguments: ["00:00:00", "23:59:59", "24:00:00", "23:60:00", "23:59:60", "09:05:07"])
    func times(time: String) throws {
        let foundation = JSONDecoder()
        foundation.dateDecodingStrategy = .iso8601
        let decoder = try #require(StrictJSONDecoder(settingsOf: foundation))
        let body = Data("\"2024-02-29T\(time)Z\"".utf8)
        let date = try? decoder.decode(Date.self, from: body)
        #expect(date == (try? foundation.decode(Date.self, from: body)))
    }
}
