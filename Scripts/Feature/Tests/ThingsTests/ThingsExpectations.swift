import CannedResponses
import Fixtures
import Foundation
import Things

/// The canned responses, and the values that the tests expect from them.
enum ThingsExpectations {
    static let folder = CannedResponses.folder("Things")

    static func malformed(_ name: String) -> URL { folder.appending(path: "Malformed").appending(path: name) }

    static let things: [Thing] = [.fixture(), .fixture(id: 2, name: "Second")]
    static let response = ThingsResponse(things: things)
}
