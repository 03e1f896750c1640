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
}
