import Foundation

/// A list of small objects, as the rows on JSON read and write it.
struct BenchmarkCity: Codable, Sendable {
    var id: Int
    var name: String
    var countryName: String
    var population: Int
    var latitude: Double
    var isCapital: Bool
    var tags: [String]

    static func sample(_ count: Int) -> [BenchmarkCity] {
        (0..<count).map { number in
            BenchmarkCity(
                id: number, name: "City number \(number)", countryName: "Germany", population: number * 1_000,
                latitude: Double(520_000 + number) / 10_000, isCapital: number % 16 == 0, tags: ["big", "old"])
        }
    }

    static func body(_ count: Int, snakeCase: Bool = false) throws -> Data {
        let encoder = JSONEncoder()
        if snakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
        return try encoder.encode(sample(count))
    }
}

/// A part of a large object: a fifth of its keys, as many as a screen needs.
struct BenchmarkPost: Decodable, Sendable {
    struct Account: Decodable, Sendable {
        var id: String
        var username: String
        var followersCount: Int
    }

    var id: String
    var createdAt: String
    var content: String
    var favouritesCount: Int
    var language: String?
    var account: Account

    /// Returns posts with 40 keys, some of them lists and objects, of about 3 KB each.
    static func body(_ count: Int) -> Data {
        let text = String(repeating: "A sentence of the post, with a \\\"quotation\\\" and an é. ", count: 8)
        let media = (0..<3).map {
            #"{"id":"\#($0)","type":"image","url":"https:\/\/example.com\/media\/\#($0).png","meta":{"width":1280,"height":720,"aspect":1.7777777}}"#
        }.joined(separator: ",")
        let fields = (0..<24).map { #""field\#($0)":"some value \#($0)""# }.joined(separator: ",")
        let posts = (0..<count).map { number in
            #"{"id":"\#(100_000 + number)","createdAt":"2026-11-21T19:00:00.000Z",\#(fields),"sensitive":false,"content":"\#(text)","#
                + #""reblog":null,"account":{"id":"\#(number)","username":"user\#(number)","note":"\#(text)","bot":false,"#
                + #""fields":[{"name":"a","value":"b"},{"name":"c","value":"d"}],"followersCount":\#(number)},"#
                + #""media":[\#(media)],"favouritesCount":\#(number),"language":"en","tags":[],"score":1.5e3}"#
        }
        return Data("[\(posts.joined(separator: ","))]".utf8)
    }
}

/// A `BenchmarkMovie` with Codable, which the schema does not need.
struct BenchmarkMovieRow: Codable, Sendable {
    var id: Int
    var title: String
    var rating: String
    var budget: Int
    var score: Double
    var year: Int?
    var tagline: String?

    init(_ movie: BenchmarkMovie) {
        (id, title, rating, budget) = (movie.id, movie.title, movie.rating.rawValue, movie.budget)
        (score, year, tagline) = (movie.score, movie.year, movie.tagline)
    }
}
