import Feedback
import Foundation
import Networking
import Persistence

/// The objects of a server with an ordinary REST interface, described by its resources.
///
///     let books = RESTStore(
///         Book.schema, accessible: session,
///         list: { _ in BooksService.fetchBooks() },
///         object: { id in BooksService.fetchBook(id) }
///     )
///     .inserting { book in BooksService.addBook().sending(book) }
///     .updating { book, changes in BooksService.changeBook(book.id).sending(changes) }
///     .deleting { book in BooksService.deleteBook(book.id) }
///     let synced = try SyncedStore(Book.schema, remote: books, outbox: outbox)
///
/// Writes for which there is no resource are refused.
///
/// The client chooses the ids. The server must keep the id of an object that is added, and must refuse a second object
/// with the same id, usually with the status 409, or know the key of the first request. An insertion whose answer was lost
/// is sent again if the object is not there when it is read, while the first request may still be under way.
///
/// Objects are read with `Cache-Control: no-cache`, so that the server decides if the answer in a response cache is
/// still current. A resource may set another value.
///
/// An update or deletion is sent only if the server's object, which is read first, is the one on which the write was
/// based. Between the reading and the writing another client may change it. A server prevents that if it checks a
/// version: give it the version of the object, for example in the header field `If-Match`, and `version:` to the
/// ``SyncedStore``.
///
/// | answer to a write | meaning |
/// |---|---|
/// | the object, with a status from 200 to 299 | the write is done, unless it is a change and the object is as it was |
/// | a web page, with such a status | it came from something else than the server; the write waits |
/// | anything else, with such a status | the object is read; the write is done, unless the object is as it was before; if the object cannot be read either, the write is parked as unconfirmed |
/// | 404, 409, 410, 412 | the object is read; a conflict if it has changed, a refusal if not |
/// | 401, 407, 408, 421, 425, 429, from 500 on, or none | the write waits, and is sent again |
/// | any other | the write is refused, and parked |
///
/// When the object is read, a web page with the status 404 or 410 does not say that there is none: a proxy that does not
/// reach the server answers so, too. The write waits. So a server must not answer with a page if there is no object. Only
/// right after the answer to a write, a page counts as the server's.
///
/// Let the server answer with the object if it can. Otherwise the object is read after the write. If it then has other
/// values than the write has set, the server may have set or trimmed them, or another client may have changed them.
/// They count as the server's work, and a later write that waits may overwrite them, also if objects have versions. A
/// change that the server turns back to the old value, for example by trimming it, counts as refused. An insertion to which
/// the server answers with such a status and means a refusal counts as done if another client's object has the same id.
///
/// Each write has the header field `Idempotency-Key`, with the same key for each attempt. The store does not rely on it.
///
/// A list is read whole or not at all: if the server answers in pages, the store reads one after the other, and fails if it
/// cannot read one. Let pages begin at a cursor. If they have numbers, a deletion may move an object to a page that was read
/// already, and it counts as deleted until the next answer. By default, an object that does not decode makes it fail, too. If the
/// resource of the list prunes such objects (`Pruned`), a ``SyncedStore`` keeps their local copies and reports them in
/// ``SyncedStore/unreadable``. An object without its id under the name that the schema gives it makes the query fail even so.
public struct RESTStore<Object: Identifiable & Sendable, Auth: Authentication>: Sendable where Object.ID: Primitive {
    /// Sends a write with a key; returns the object of the answer, if it has one.
    typealias Sending = @Sendable (Object, OutboxWrite<Object>, UUID) async throws(CoreError) -> Object?

    let schema: Schema<Object>
    private let access: any ResourceAccess<Auth>
    private let list: @Sendable (Query<Self>) async throws(StoreError) -> ReadableAnswer<Object>
    private let object: @Sendable (Object.ID) -> BackendResource<Void, Object, Auth>
    private(set) var insertion: Sending?
    private(set) var change: Sending?
    private(set) var deletion: Sending?

    /// Makes a store of a server that needs credentials.
    ///
    /// - Parameters:
    ///   - list: The resource of a list. It must answer with all objects for which the query asks, and may answer with
    ///     more; the store filters, sorts and cuts them to the page. So it can ignore the query. An object that is
    ///     missing counts as deleted. If the answer has the objects in an envelope, use `map`.
    ///   - followsLinks: `true` if the header field `Link` of an answer may lead to a `next` page, which the store then
    ///     reads too, and so on up to the last one; `false` if `list` passes the query's limit on, so that the first page
    ///     is all that was asked for.
    ///   - object: The resource of one object, which the server answers with 404 or 410 if there is none.
    public init(
        _ schema: Schema<Object>, accessible: any AuthenticatedAccessible,
        list: @escaping @Sendable (Query<RESTStore>) -> BackendResource<Void, [Object], Auth>,
        followsLinks: Bool = true, object: @escaping @Sendable (Object.ID) -> BackendResource<Void, Object, Auth>
    ) where Auth: CredentialedAuthentication {
        self.init(schema, CredentialedAccess(accessible: accessible), list: list, followsLinks, object)
    }

    /// Makes a store of a server that needs credentials, and that has the cursor of a list's next page in the body.
    ///
    /// ```swift
    /// let books = RESTStore(
    ///     Book.schema, accessible: session,
    ///     pages: { _, cursor in BooksService.fetchBooks(after: cursor) }, objects: \.books, next: \.next,
    ///     object: { id in BooksService.fetchBook(id) }
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - pages: The resource of the page at a cursor, which is `nil` for the first page. The pages together must have
    ///     all objects for which the query asks, and may have more.
    ///   - objects: The objects of a page.
    ///   - next: The cursor of the next page; `nil` on the last one.
    ///   - object: The resource of one object, which the server answers with 404 or 410 if there is none.
    public init<Page: Sendable, Cursor: Hashable & Sendable>(
        _ schema: Schema<Object>, accessible: any AuthenticatedAccessible,
        pages: @escaping @Sendable (Query<RESTStore>, Cursor?) -> BackendResource<Void, Page, Auth>,
        objects: @escaping @Sendable (Page) -> [Object], next: @escaping @Sendable (Page) -> Cursor?,
        object: @escaping @Sendable (Object.ID) -> BackendResource<Void, Object, Auth>
    ) where Auth: CredentialedAuthentication {
        self.init(schema, CredentialedAccess(accessible: accessible), pages: pages, objects, next, object)
    }

    /// Makes a store of a server that needs no credentials.
    public init(
        _ schema: Schema<Object>, open accessible: any Accessible,
        list: @escaping @Sendable (Query<RESTStore>) -> BackendResource<Void, [Object], NoAuth>,
        followsLinks: Bool = true, object: @escaping @Sendable (Object.ID) -> BackendResource<Void, Object, NoAuth>
    ) where Auth == NoAuth {
        self.init(schema, OpenAccess(accessible: accessible), list: list, followsLinks, object)
    }

    /// Makes a store of a server that needs no credentials, and that has the cursor of a list's next page in the body.
    public init<Page: Sendable, Cursor: Hashable & Sendable>(
        _ schema: Schema<Object>, open accessible: any Accessible,
        pages: @escaping @Sendable (Query<RESTStore>, Cursor?) -> BackendResource<Void, Page, NoAuth>,
        objects: @escaping @Sendable (Page) -> [Object], next: @escaping @Sendable (Page) -> Cursor?,
        object: @escaping @Sendable (Object.ID) -> BackendResource<Void, Object, NoAuth>
    ) where Auth == NoAuth {
        self.init(schema, OpenAccess(accessible: accessible), pages: pages, objects, next, object)
    }

    private init(
        _ schema: Schema<Object>, _ access: any ResourceAccess<Auth>,
        list: @escaping @Sendable (Query<RESTStore>) -> BackendResource<Void, [Object], Auth>,
        _ followsLinks: Bool, _ object: @escaping @Sendable (Object.ID) -> BackendResource<Void, Object, Auth>
    ) {
        self.schema = schema
        self.access = access
        self.object = object
        let pages = ListPages(schema: schema)
        self.list = { query async throws(StoreError) in
            if followsLinks { return try await pages.readAll(list(query), with: access) }
            do throws(CoreError) {
                return try await PrunedPage(schema: schema).read(list(query).fromServer, with: access, objects: \.self)
                    .answer
            } catch {
                throw StoreError(error)
            }
        }
    }

    private init<Page: Sendable, Cursor: Hashable & Sendable>(
        _ schema: Schema<Object>, _ access: any ResourceAccess<Auth>,
        pages: @escaping @Sendable (Query<RESTStore>, Cursor?) -> BackendResource<Void, Page, Auth>,
        _ objects: @escaping @Sendable (Page) -> [Object], _ next: @escaping @Sendable (Page) -> Cursor?,
        _ object: @escaping @Sendable (Object.ID) -> BackendResource<Void, Object, Auth>
    ) {
        self.schema = schema
        self.access = access
        self.object = object
        let list = ListPages(schema: schema)
        self.list = { query async throws(StoreError) in
            try await list.readAll { (cursor: Cursor?) async throws(CoreError) in
                let (page, answer) = try await PrunedPage(schema: schema).read(
                    pages(query, cursor).fromServer, with: access, objects: objects)
                return (answer, next(page))
            }
        }
    }

    /// Returns this store with a resource that adds an object.
    public func inserting<Response>(
        _ resource: @escaping @Sendable (Object) -> BackendResource<Void, Response, Auth>
    ) -> RESTStore {
        with(\.insertion) { object, _ in resource(object) }
    }

    /// Returns this store with a resource that changes an object.
    ///
    /// - Parameter resource: Makes the resource from the object as it should become, for a PUT, and from the write with
    ///   the changed columns, for a PATCH: the write can be the body itself, or be asked for the new value of a
    ///   property, `changes[\.title]`. The version of the object is the one that the server must still have.
    public func updating<Response>(
        _ resource: @escaping @Sendable (Object, OutboxWrite<Object>) -> BackendResource<Void, Response, Auth>
    ) -> RESTStore {
        with(\.change, resource)
    }

    /// Returns this store with a resource that removes an object, which is passed as the server has it.
    public func deleting<Response>(
        _ resource: @escaping @Sendable (Object) -> BackendResource<Void, Response, Auth>
    ) -> RESTStore {
        with(\.deletion) { object, _ in resource(object) }
    }

    private func with<Response>(
        _ sending: WritableKeyPath<Self, Sending?>,
        _ resource: @escaping @Sendable (Object, OutboxWrite<Object>) -> BackendResource<Void, Response, Auth>
    ) -> RESTStore {
        var store = self
        store[keyPath: sending] = { [access] object, write, key async throws(CoreError) in
            try await access.perform(resource(object, write).durable(key)) as? Object
        }
        return store
    }
}

// MARK: - Reading

extension RESTStore: LenientStore {
    public func execute(_ query: Query<RESTStore>) async throws(StoreError) -> [Object] {
        try await readable(query).objects
    }

    func readable(_ query: Query<RESTStore>) async throws(StoreError) -> ReadableAnswer<Object> {
        if case .comparison(let attribute, .equal, let value) = query.condition.erased.form,
            schema.ids.contains(attribute), let id = Object.ID(primitiveValue: value)
        {
            return ReadableAnswer(objects: try query.answer(from: [try await object(withId: id)].compactMap(\.self)))
        }
        var answer = try await list(query)
        answer.hasReadable = !answer.objects.isEmpty
        answer.objects = try query.answer(from: answer.objects.lastOfEachID)
        return answer
    }

    func batches(of ids: [Object.ID], count: Int) -> [[Object.ID]] {
        stride(from: 0, to: ids.count, by: count).map { Array(ids[$0..<min($0 + count, ids.count)]) }
    }

    public func execute(_ query: Query<RESTStore>) -> SignalProducer<[Object], StoreError> {
        SignalProducer { () async throws(StoreError) in try await execute(query) }
    }

    public func object(withId id: Object.ID) async throws(StoreError) -> Object? {
        do throws(CoreError) { return try await read(id) } catch { throw StoreError(error) }
    }

    public func object(withId id: Object.ID) -> SignalProducer<Object?, StoreError> {
        SignalProducer { () async throws(StoreError) in try await object(withId: id) }
    }

    /// - Parameter isReached: `true` if the server itself has just answered.
    func read(_ id: Object.ID, isReached: Bool = false) async throws(CoreError) -> Object? {
        do throws(CoreError) {
            return try checked(await access.perform(object(id).fromServer), hasID: id)
        } catch .status(let failure) where failure.code == 404 || failure.code == 410 {
            // It may come from a proxy that does not reach the server.
            if !isReached, WebPage.isAnswer(failure.body, type: failure.headers["Content-Type"]) { throw .webPage }
            return nil
        }
    }
}

// MARK: - Writing

extension RESTStore {
    @discardableResult
    public func insert(_ object: Object) async throws(StoreError) -> Object {
        try await perform(OutboxWrite(inserting: object, in: schema)) ?? object
    }

    public func insert(_ object: Object) -> SignalProducer<Object, StoreError> {
        SignalProducer { () async throws(StoreError) in try await insert(object) }
    }

    @discardableResult
    public func update(_ object: Object) async throws(StoreError) -> Object {
        guard let current = try await self.object(withId: object.id) else { throw .missing(id: object.id.printed) }
        return try await perform(OutboxWrite(changing: current, to: object, in: schema)) ?? object
    }

    public func update(_ object: Object) -> SignalProducer<Object, StoreError> {
        SignalProducer { () async throws(StoreError) in try await update(object) }
    }

    public func delete(_ object: Object) async throws(StoreError) {
        guard let current = try await self.object(withId: object.id) else { return }
        _ = try await perform(OutboxWrite(deleting: current, in: schema))
    }

    public func delete(_ object: Object) -> SignalProducer<Never, StoreError> {
        SignalProducer<Void, StoreError> { () async throws(StoreError) in try await delete(object) }
            .then(SignalProducer<Never, StoreError>.empty)
    }

    private func perform(_ write: OutboxWrite<Object>) async throws(StoreError) -> Object? {
        switch await send(write, key: UUID()) {
        case let .accepted(object): return object
        case let .acceptedUnreadable(object, _, _): throw object.answerError
        case let .unconfirmed(reason): throw .outcomeUnknown(reason: reason.clause)
        case .conflict where write.kind == .insert: throw .duplicate(id: write.id.printed)
        case let .conflict(current) where write.isDone(in: current): return current
        case .conflict(nil): throw .missing(id: write.id.printed)
        case .conflict: throw .conflict(reason: "\(schema.name) \(write.id.printed)")
        case let .refused(reason, _, _): throw .refused(reason: reason.clause)
        case let .busy(reason, _, _), let .unreachable(reason, _): throw .unreachable(reason: reason.clause)
        }
    }
}
