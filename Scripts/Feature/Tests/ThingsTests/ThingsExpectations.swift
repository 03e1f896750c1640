import CannedResponses
import Fixtures
import Foundation
import Things

/// What the tests expect of the same things: the canned responses, and what is read from them.
enum ThingsExpectations {
    static let folder = CannedResponses.folder("Things")

    static func malformed(_ name: String) -> URL { folder.appending(path: "Malformed").appending(path: name) }

    static let things: [Thing] = [.fixture(), .fixture(id: 2, name: "Second")]
    static let response = ThingsResponse(things: things)
}
