import Feedback
import Foundation
import LocalBackend
import Networking
import Persistence
import Sync

struct Book: Codable, Equatable, Identifiable, Sendable {
    var id: Int
    var title: String
    var pages: Int?
    var version = 1

    static let schema = Schema<Book>(
        "books", { Book(id: $0, title: $1, pages: $2, version: $3) }, Column("id", \.id), Column("title", \.title),
        Column("pages", \.pages), Column("version", \.version))
}

/// A server that sends no objects back, and sets columns of its own.
enum QuietService {
    static func addBook() -> BackendResource<Book, Void, KongAuth> {
        BackendResource(path: .api(.core, "/quiet"), method: .POST)
    }

    static func changeBook(_ id: Int) -> BackendResource<OutboxWrite<Book>, Void, KongAuth> {
        BackendResource(path: .api(.core, "/quiet/\(id)"), method: .PATCH)
    }

    static func deleteBook(_ id: Int) -> BackendResource<Void, Void, KongAuth> {
        BackendResource(path: .api(.core, "/quiet/\(id)"), method: .DELETE)
    }

    // The same resources, for a client that expects an object in each answer.

    static func addAndReadBook() -> BackendResource<Book, Book, KongAuth> {
        BackendResource(path: .api(.core, "/quiet"), method: .POST)
    }

    static func changeAndReadBook(_ id: Int) -> BackendResource<OutboxWrite<Book>, Book, KongAuth> {
        BackendResource(path: .api(.core, "/quiet/\(id)"), method: .PATCH)
    }

    static func deleteAndReadBook(_ id: Int) -> BackendResource<Void, Book, KongAuth> {
        BackendResource(path: .api(.core, "/quiet/\(id)"), method: .DELETE)
    }
}

/// The feature of a user: the resources of her server.
enum BooksService {
    static func fetchBooks() -> BackendResource<Void, BookList, KongAuth> {
        BackendResource(path: .api(.core, "/books"), method: .GET)
    }

    static func fetchBook(_ id: Int) -> BackendResource<Void, Book, KongAuth> {
        BackendResource(path: .api(.core, "/books/\(id)"), method: .GET)
    }

    static func addBook() -> BackendResource<Book, Book, KongAuth> {
        BackendResource(path: .api(.core, "/books"), method: .POST)
    }

    static func changeBook(_ id: Int, version: Int) -> BackendResource<OutboxWrite<Book>, Book, KongAuth> {
        BackendResource(path: .api(.core, "/books/\(id)"), method: .PATCH, headers: ["If-Match": "\(version)"])
    }

    static func deleteBook(_ id: Int) -> BackendResource<Void, Void, KongAuth> {
        BackendResource(path: .api(.core, "/books/\(id)"), method: .DELETE)
    }
}

struct BookList: Codable, Sendable { var books: [Book] }

extension RESTStore where Object == Book, Auth == KongAuth {
    static func books(_ session: BackendSession) -> RESTStore {
        RESTStore(
            Book.schema, accessible: session,
            list: { _ in BooksService.fetchBooks().map(\.books) },
            object: { id in BooksService.fetchBook(id) }
        )
        .inserting { book in BooksService.addBook().sending(book) }
        .updating { book, changes in BooksService.changeBook(book.id, version: book.version).sending(changes) }
        .deleting { book in BooksService.deleteBook(book.id) }
    }

    /// The server that answers writes with their status alone.
    static func quiet(_ session: BackendSession) -> RESTStore {
        books(session)
            .inserting { book in QuietService.addBook().sending(book) }
            .updating { book, changes in QuietService.changeBook(book.id).sending(changes) }
            .deleting { book in QuietService.deleteBook(book.id) }
    }

    /// The same server, from which an object is expected in each answer.
    static func quietlyExpected(_ session: BackendSession) -> RESTStore {
        books(session)
            .inserting { book in QuietService.addAndReadBook().sending(book) }
            .updating { book, changes in QuietService.changeAndReadBook(book.id).sending(changes) }
            .deleting { book in QuietService.deleteAndReadBook(book.id) }
    }
}

/// An ordinary REST server, which checks versions and remembers no keys.
struct BookServer {
    let backend = LocalBackend()
    let state = BookServerState()

    fileprivate struct Patch: Decodable {
        var title: String?
        var pages: Int?
    }

    init(_ initial: [Book] = []) {
        state.books.withLock { $0 = Dictionary(uniqueKeysWithValues: initial.map { ($0.id, $0) }) }
        backend.get("/books") { [state] _ in
            .json(BookList(books: state.books.withLock { $0.values.sorted { $0.id < $1.id } }))
        }
        backend.get("/books/:id") { [state] request in
            let id: Int = try request.parameter("id")
            guard let book = state.books.withLock({ $0[id] }) else { return .status(404) }
            return .json(book)
        }
        backend.post("/books") { [state] request in
            let book: Book = try request.decode()
            return state.change(book.id) { stored in
                if stored != nil { return .status(409) }
                stored = book
                return .json(book, status: 201)
            }
        }
        backend.patch("/books/:id") { [state] request in
            let (id, patch): (Int, Patch) = (try request.parameter("id"), try request.decode())
            return state.change(id) { stored in
                guard var book = stored else { return .status(404) }
                guard request.headers["If-Match"] == "\(book.version)" else { return .status(412) }
                book.title = patch.title ?? book.title
                book.pages = patch.pages ?? book.pages
                book.version += 1
                stored = book
                return .json(book)
            }
        }
        backend.delete("/books/:id") { [state] request in
            let id: Int = try request.parameter("id")
            return state.change(id) { stored in
                guard let book = stored else { return .status(404) }
                stored = nil
                return .json(book)
            }
        }
        serveQuietly()
    }
}

extension BookServer {
    /// Serves writes whose answers have no object. The server sets the number of pages, and trims titles.
    fileprivate func serveQuietly() {
        backend.post("/quiet") { [state] request in
            var book: Book = try request.decode()
            book.pages = 100
            return state.change(book.id) { stored in
                stored = book
                return .status(201)
            }
        }
        backend.patch("/quiet/:id") { [state] request in
            let (id, patch): (Int, Patch) = (try request.parameter("id"), try request.decode())
            return state.change(id) { stored in
                if let title = patch.title { stored?.title = title.trimmingCharacters(in: .whitespaces) }
                if let pages = patch.pages { stored?.pages = pages }
                return .status(204)
            }
        }
        backend.delete("/quiet/:id") { [state] request in
            let id: Int = try request.parameter("id")
            return state.change(id) { stored in
                stored = nil
                return .status(204)
            }
        }
    }
}

final class BookServerState: Sendable {
    let books = Locked<[Int: Book]>([:])
    /// The number of writes that had an effect.
    let writes = Locked(0)
    /// Called before a write is done; a response that it returns is the answer.
    let before = Locked<(@Sendable () -> LocalBackend.Response?)?>(nil)
    /// Called after a write is done, with the book that it concerns.
    let after = Locked<(@Sendable (inout Book?) -> Void)?>(nil)

    func change(_ id: Int, _ body: (inout Book?) -> LocalBackend.Response) -> LocalBackend.Response {
        if let answer = before.withLock({ $0 })?() { return answer }
        return books.withLock { books in
            let old = books[id]
            let answer = body(&books[id])
            if books[id] != old { writes.withLock { $0 += 1 } }
            after.withLock(\.self)?(&books[id])
            return answer
        }
    }

    /// Changes a book as another client does.
    func change(_ book: Book) { books.withLock { $0[book.id] = book } }
}

func withBooks(_ books: [Book] = [], _ body: (BookServer, BackendSession) async throws -> Void) async throws {
    let server = BookServer(books)
    try await withSession(server.backend) { session in try await body(server, session) }
}
