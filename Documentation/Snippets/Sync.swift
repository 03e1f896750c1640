import Feedback
import Foundation
import Networking
import Persistence
import Sync

struct Favourite: Codable, Sendable {
    var status: String
    var isOn: Bool
}

enum TimelineService {
    static func setFavourite(_ isOn: Bool, _ status: String) -> BackendResource<Void, City, KongAuth> { some() }
}

struct Book: Identifiable, Codable, Sendable {
    var id = 0
    var title = ""
    var year = 0

    static let schema = Schema<Book>(
        "books", Book.init, Column("id", \.id), Column("title", \.title), Column("year", \.year))
}

struct BookPatch: Encodable {
    var title: String?
    var year: Int?
}

struct BookPage: Sendable {
    var books: [Book]
    var next: String?
}

enum BooksService {
    static func fetchBooks() -> BackendResource<Void, [Book], KongAuth> { some() }
    static func fetchBooks(after cursor: String?) -> BackendResource<Void, BookPage, KongAuth> { some() }
    static func fetchBook(_ id: Int) -> BackendResource<Void, Book, KongAuth> { some() }
    static func addBook() -> BackendResource<Book, Book, KongAuth> { some() }
    static func changeBook(_ id: Int) -> BackendResource<OutboxWrite<Book>, Book, KongAuth> { some() }
    static func deleteBook(_ id: Int) -> BackendResource<Void, Void, KongAuth> { some() }
}

typealias Changes = MergeResult<Movie>

func fetch() -> SignalProducer<[Movie], CoreError> { some() }

var store: SQLiteStore<Movie> { some() }
var outbox: Outbox { some() }
var remote: PostgRESTStore<Movie> { some() }
var movie: Movie { some() }
var database: SQLiteDatabase { some() }
var write: OutboxWrite<Book> { some() }
