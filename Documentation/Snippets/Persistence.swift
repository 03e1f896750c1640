import Feedback
import Foundation
import Persistence

extension Movie {
    static func fixture(title: String, year: Int? = nil) -> Movie { some() }
}

struct Account: Entity, Codable { var id = "" }

struct Status: Entity, Codable {
    var id = ""
    var account = Account()
    var createdAt = Date()
    var isFavourite: Bool?
}

enum TimelineKey: ListKey, Codable {
    typealias Target = Status

    case home
}

struct Film: Entity, Codable { var id = 0 }
struct Review: Entity { var id = 0 }
enum ReviewKey: ListKey {
    typealias Target = Review

    case film(Int)
}
struct FilmScreen: Equatable, Sendable {
    init(_ film: Film, reviews: CachedList<Review>?) {}
}

struct Server: Sendable { func status(_ id: String) async throws -> Status { some() } }

struct Quake: Identifiable, Equatable, Sendable {
    var id = 0
    var time = Date()
}

struct Song: Identifiable, Sendable {
    var id: Int
    var title: String
    var rating: Rating
}

struct Page: Identifiable, Sendable {
    var id: Int
    var book: String
    var number: Int
}

struct Favourite: OptimisticChange, Equatable {
    let isFavourite: Bool

    func apply(to status: inout Status?) {}
}

var cache: NormalizedCache { some() }
var statuses: [Status] { some() }
var page: [Status] { some() }
var next: String? { some() }
var server: Server { some() }
var id: String { some() }
var status: Status { some() }
var answer: Status { some() }
var favourite: SignalProducer<Status, StoreError> { some() }
var loaded: [Quake] { some() }
var movies: SQLiteStore<Movie> { some() }
var movie: Movie { some() }
var films: SQLiteStore<Movie> { some() }
var quakes: SQLiteStore<Quake> { some() }
var fetched: [Quake] { some() }
var startOfMonth: Date { some() }
var remote: SQLiteStore<Movie> { some() }
var local: MemoryStore<Movie> { some() }
var isOnline: Bool { some() }
var least: Int { some() }
var year: Int { some() }
var database: SQLiteDatabase { some() }
