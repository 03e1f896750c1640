import CannedResponses
import Cities
import Fixtures
import Foundation
import Networking

/// The values that several tests of the cities expect: the canned responses, and the requests for them.
enum CitiesExpectations {
    static let folder = CannedResponses.folder("Cities")

    static func malformed(_ name: String) -> URL { folder.appending(path: "Malformed").appending(path: name) }

    /// The canned cities, read with the decoder for keys in snake case.
    static let cities: [City] = [.fixture(), zurich]
    /// The canned cities, read with a plain decoder.
    static let citiesWithoutMinutes: [City] = [.fixture(deliveryMinutes: nil), zurich]
    static let questions: [Question] = [.fixture()]

    static let address = Address.fixture()
    static let addressBody = [
        "city": "London", "postalCode": "NW1 6XE", "recipient": "Sherlock Holmes", "street": "221B Baker Street",
    ]

    private static let zurich = City.fixture(
        number: 2, name: "Zürich", country: "CH", population: 436_332, deliveryMinutes: nil)
}
