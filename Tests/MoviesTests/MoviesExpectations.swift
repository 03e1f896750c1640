import CannedResponses
import Fixtures
import Foundation
import Movies

/// The values that several tests of the movies expect: the canned responses, and the requests for them.
enum MoviesExpectations {
    static let folder = CannedResponses.folder("Movies")

    static func malformed(_ name: String) -> URL { folder.appending(path: "Malformed").appending(path: name) }

    /// The query of a request for all movies.
    static let all = [
        URLQueryItem(name: "order", value: "id.asc"), URLQueryItem(name: "limit", value: "1000"),
    ]

    /// The canned movies.
    static let movies: [Movie] = [
        .fixture(),
        .fixture(id: .fixture(2), title: "七人の侍", rating: .PG_13, budget: 500_000, year: 1954, score: 9, tagline: nil),
        .fixture(
            id: .fixture(3), title: "\"The Lost Reel\", 100%", rating: .NC_17, budget: 0, year: nil, score: nil,
            tagline: ""),
    ]
}
