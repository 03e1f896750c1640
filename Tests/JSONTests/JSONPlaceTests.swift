import Foundation
import JSON
import Testing

@Suite("The place of a value in a body")
struct JSONPlaceTests {
    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int?

        init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
        init(intValue: Int) { (stringValue, self.intValue) = ("Index \(intValue)", intValue) }
    }

    private let body = Data(#"{"films":[{"id":1},\#n {"release_year":"x"}]}"#.utf8)

    @Test("A path through a list leads to the element's value, and a camel-case key to that of the body")
    func list() {
        let path = [Key(stringValue: "films"), Key(intValue: 1), Key(stringValue: "releaseYear")]
        let place = JSONPlace(of: path, in: body)
        #expect(place?.line == 2)
        #expect(place?.column == 18)
    }

    @Test("A path through a list leads to its first element, too")
    func first() {
        let place = JSONPlace(of: [Key(stringValue: "films"), Key(intValue: 0), Key(stringValue: "id")], in: body)
        #expect(place?.line == 1)
        #expect(place?.column == 17)
    }

    @Test("A path that leads on where nothing is ends at the nearest container")
    func nearest() {
        let place = JSONPlace(of: [Key(stringValue: "films"), Key(intValue: 7)], in: body)
        #expect(place?.line == 1)
        #expect(place?.column == 10)
    }

    @Test("A path into a list from below zero leads to its first element, and no path leads nowhere")
    func outside() {
        #expect(JSONPlace(of: [Key(stringValue: "films"), Key(intValue: -1)], in: body)?.column == 11)
        #expect(JSONPlace(of: [], in: body) == nil)
        #expect(JSONPlace(of: [Key(intValue: 0)], in: Data("[1".utf8)) == nil)
    }

    @Test("A key that stands in the body as it is comes before one that has to be converted")
    func exactKey() {
        let body = Data(#"{"film_id":1,"filmId":2}"#.utf8)
        #expect(JSONPlace(of: [Key(stringValue: "filmId")], in: body)?.column == 23)
        #expect(JSONPlace(of: [Key(stringValue: "film_id")], in: body)?.column == 12)
    }

    @Test("The text around has up to 20 bytes before the place and 40 from it on, and no part of a character")
    func excerpts() {
        let text = String(repeating: "0123456789", count: 10)
        for offset in [0, 1, 20, 21, 50, 60, 61, 100] {
            let place = JSONPlace(of: offset, in: Data(text.utf8))
            #expect(place.excerpt == String(text.prefix(offset).suffix(20) + text.dropFirst(offset).prefix(40)))
            #expect(place.line == 1 && place.column == offset + 1)
        }
        for (outside, inside) in [(-1, 0), (101, 100)] {
            #expect(JSONPlace(of: outside, in: Data(text.utf8)) == JSONPlace(of: inside, in: Data(text.utf8)))
        }
        let wide = Data(String(repeating: "語", count: 30).utf8)
        // From 18 bytes before to 39 after.
        #expect(JSONPlace(of: 30, in: wide).excerpt == String(repeating: "語", count: 6 + 13))
        let controls = Data("a\u{1F}b\tc\u{7F}d e".utf8)
        #expect(JSONPlace(of: 0, in: controls).excerpt == "a b c\u{7F}d e")
    }
}
