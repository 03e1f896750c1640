import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Persistence
import Sync
import Testing

/// Lists that a server answers in pages.
struct RESTPagesTests {
    private struct Page: Codable, Sendable {
        var books: [Book]
        var next: Int?
    }

    private let books = (1...7).map { Book(id: $0, title: "Book \($0)") }

    /// Calls `body` with a server that answers with three books at a time.
    ///
    /// - Parameter link: The value of the header field `Link` of a page; its first argument is the page's address, and
    ///   the second one the id of its last book, `nil` on the last page.
    private func withPages(
        link: @escaping @Sendable (String, Int?) -> String? = { _, _ in nil },
        _ body: (LocalBackend, BackendSession) async throws -> Void
    ) async throws {
        let backend = LocalBackend()
        backend.get("/books") { [books] request in
            let last = Int(request.query["after"] ?? "") ?? 0
            let rest = books.filter { $0.id > last }
            let page = Array(rest.prefix(3))
            let next = rest.count > 3 ? page.last?.id : nil
            let link = link("http://\(request.headers["Host"] ?? "")/books", next)
            return .json(Page(books: page, next: next), headers: link.map { ["Link": $0] } ?? [:])
        }
        try await withSession(backend) { session in try await body(backend, session) }
    }

    private func linked(_ session: BackendSession, followsLinks: Bool = true) -> RESTStore<Book, KongAuth> {
        RESTStore(
            Book.schema, accessible: session,
            list: { _ in
                BackendResource<Void, Page, KongAuth>(
                    path: .api(.core, "/books"), method: .GET, query: [URLQueryItem(name: "sort", value: "id")],
                    headers: ["X-Client": "7"]
                ).map(\.books)
            },
            followsLinks: followsLinks, object: { id in BooksService.fetchBook(id) })
    }

    @Test("Links are not followed if the first page is all that was asked for")
    func ignoredLinks() async throws {
        try await withPages(link: { address, last in last.map { "<\(address)?after=\($0)>; rel=next" } }) {
            backend, session in
            let found = try await linked(session, followsLinks: false).sorted(by: \.id).result()
            #expect(found == Array(books[0..<3]))
            #expect(backend.requests.count == 1)
        }
    }

    @Test(
        "A list is read whole, page by page, if each page links to the next one", arguments: [true, false])
    func links(isAbsolute: Bool) async throws {
        let link: @Sendable (String, Int?) -> String? = { address, last in
            last.map { "<\(isAbsolute ? address : "")?after=\($0)>; rel=\"next\", <\(address)>; rel=\"first\"" }
        }
        try await withPages(link: link) { backend, session in
            let store = linked(session)
            let all = try await store.sorted(by: \.id).result()
            let found = try await store.filter(where: \.title == "Book 7").result()
            #expect(all == books && found == [books[6]])
            #expect(backend.requests.prefix(3).map { $0.query["after"] } == [nil, "3", "6"])
            #expect(backend.requests.prefix(3).map { $0.query["sort"] } == ["id", nil, nil])
            #expect(backend.requests.allSatisfy { $0.headers["X-Client"] == "7" })
            #expect(backend.requests.allSatisfy { $0.headers["Authorization"] == "Bearer test" })
        }
    }

    @Test("The links of a server that needs no credentials are followed, too, unless it is said otherwise")
    func openLinks() async throws {
        let list = BackendResource<Void, Page, NoAuth>(path: .api(.core, "/books"), method: .GET).map(\.books)
        try await withPages(link: { address, last in last.map { "<\(address)?after=\($0)>; rel=next" } }) {
            backend, session in
            let store = RESTStore(Book.schema, open: session, list: { _ in list }, object: Self.fetchOpenBook)
            let all = try await store.sorted(by: \.id).result()
            #expect(all == books)
            #expect(backend.requests.allSatisfy { $0.headers["Authorization"] == nil })
            let unlinked = RESTStore(
                Book.schema, open: session, list: { _ in list }, followsLinks: false, object: Self.fetchOpenBook)
            let first = try await unlinked.sorted(by: \.id).result()
            #expect(first == Array(books[0..<3]))
        }
    }

    @Test("A synced store does not delete the objects of later pages")
    func pull() async throws {
        try await withPages(link: { address, last in last.map { "<\(address)?after=\($0)>; rel=next" } }) {
            _, session in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let store = try SyncedStore(Book.schema, remote: linked(session), outbox: outbox)
            try await store.local.insert(books[6])
            try await store.pull()
            #expect(try await store.local.sorted(by: \.id).result() == books)
        }
    }

    @Test("A list is not cut without a word: the query fails if one of the pages cannot be read")
    func failedPage() async throws {
        let backend = LocalBackend()
        backend.get("/books") { [books] request in
            request.query["after"] == nil
                ? .json(Page(books: Array(books.prefix(3))), headers: ["Link": "<?after=3>; rel=next"]) : .status(500)
        }
        try await withSession(backend) { session in
            let error = await #expect(throws: StoreError.self) { try await linked(session).all().result() }
            guard case .unreachable = error else {
                Issue.record("Unexpected error: \(String(describing: error))")
                return
            }
        }
    }

    @Test(
        "A link to another server is refused", arguments: ["http://127.0.0.2:1/books", "ftp://127.0.0.1/", "http://["])
    func foreignLink(address: String) async throws {
        try await withPages(link: { _, last in last.map { "<\(address)?after=\($0)>; rel=next" } }) {
            backend, session in
            let error = await #expect(throws: StoreError.self) { try await linked(session).all().result() }
            guard case .refused(let reason) = error else {
                Issue.record("Unexpected error: \(String(describing: error))")
                return
            }
            #expect(reason.contains("next page"))
            #expect(backend.requests.count == 1)
        }
    }

    @Test("Pages that lead back to an earlier one are refused")
    func circle() async throws {
        try await withPages(link: { address, _ in "<\(address)?after=3>; rel=next" }) { backend, session in
            let error = await #expect(throws: StoreError.self) { try await linked(session).all().result() }
            guard case .refused(let reason) = error else {
                Issue.record("Unexpected error: \(String(describing: error))")
                return
            }
            #expect(reason.contains("has no end"))
            #expect(backend.requests.count == 2)
        }
    }

    @Test("An object that moves to a later page while the pages are read is in the list once")
    func movedObject() async throws {
        let moved = Book(id: 3, title: "Moved")
        let backend = LocalBackend()
        backend.get("/books") { [books] request in
            request.query["after"] == nil
                ? .json(Page(books: Array(books.prefix(3))), headers: ["Link": "<?after=3>; rel=next"])
                : .json(Page(books: [moved, books[3]]))
        }
        try await withSession(backend) { session in
            let found = try await linked(session).sorted(by: \.id).result()
            #expect(found == [books[0], books[1], moved, books[3]])
        }
    }

    @Test("An object that one page has twice is in the list once, as it comes last", arguments: [true, false])
    func repeatedObject(followsLinks: Bool) async throws {
        let last = Book(id: 1, title: "Last")
        let backend = LocalBackend()
        backend.get("/books") { [books] _ in .json(Page(books: [books[0], books[1], last])) }
        try await withSession(backend) { session in
            let store = linked(session, followsLinks: followsLinks)
            let (found, count) = (try await store.sorted(by: \.id).result(), try await store.all().count())
            #expect(found == [last, books[1]])
            #expect(count == 2)
        }
    }

    // MARK: - Cursors

    private static func fetchPage(after cursor: Int?) -> BackendResource<Void, Page, KongAuth> {
        BackendResource(
            path: .api(.core, "/books"), method: .GET,
            query: cursor.map { [URLQueryItem(name: "after", value: "\($0)")] } ?? [])
    }

    @Sendable
    private static func fetchOpenBook(_ id: Int) -> BackendResource<Void, Book, NoAuth> {
        BackendResource(path: .api(.core, "/books/\(id)"), method: .GET)
    }

    private func withCursors(_ session: BackendSession) -> RESTStore<Book, KongAuth> {
        RESTStore(
            Book.schema, accessible: session, pages: { _, cursor in Self.fetchPage(after: cursor) }, objects: \.books,
            next: \.next, object: { id in BooksService.fetchBook(id) })
    }

    @Test("A list is read whole, page by page, if each page has the cursor of the next one")
    func cursors() async throws {
        try await withPages { backend, session in
            let store = withCursors(session)
            let all = try await store.sorted(by: \.id).result()
            let last = try await store.filter(where: \.id > 5).sorted(by: \.id).result()
            #expect(all == books && last == Array(books.suffix(2)))
            #expect(backend.requests.map { $0.query["after"] } == [nil, "3", "6", nil, "3", "6"])
        }
    }

    @Test("A server that needs no credentials has pages, too")
    func openCursors() async throws {
        try await withPages { backend, session in
            let store = RESTStore(
                Book.schema, open: session,
                pages: { _, cursor in
                    BackendResource<Void, Page, NoAuth>(
                        path: .api(.core, "/books"), method: .GET,
                        query: cursor.map { [URLQueryItem(name: "after", value: "\($0)")] } ?? [])
                }, objects: \.books, next: \.next,
                object: Self.fetchOpenBook)
            let all = try await store.sorted(by: \.id).result()
            #expect(all == books)
            #expect(backend.requests.allSatisfy { $0.headers["Authorization"] == nil })
        }
    }

    @Test("A cursor that leads back to an earlier page is refused")
    func cursorInCircle() async throws {
        let backend = LocalBackend()
        backend.get("/books") { _ in .json(Page(books: [], next: 3)) }
        try await withSession(backend) { session in
            await #expect(throws: StoreError.self) { try await withCursors(session).all().result() }
            #expect(backend.requests.count == 2)
        }
    }

    /// Each page has the cursor of another one.
    private struct EndlessServer: Transport {
        func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
            let last = request.url.query().flatMap { Int($0.dropFirst("after=".count)) } ?? 0
            return try TransportResponse(
                status: 200, body: Data(#"{"books":[],"next":\#(last + 1)}"#.utf8), url: request.url)
        }
    }

    @Test("A list without an end is refused")
    func endless() async throws {
        let url = try #require(URL(string: "http://books.example.com"))
        let session = BackendSession(
            environment: BackendEnvironment(name: "test", services: [.core: url]),
            credentials: FixedCredentials(.bearer("test")), transport: EndlessServer())
        let error = await #expect(throws: StoreError.self) { try await withCursors(session).all().result() }
        #expect("\(try #require(error))".contains("more than 1000 pages"))
    }
}
