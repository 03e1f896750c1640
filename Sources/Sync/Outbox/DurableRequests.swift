import Feedback
import Foundation
import Networking
import Persistence

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Requests of one kind that an outbox keeps until the server has answered them.
///
///     let favourites = try DurableRequests<Favourite>("favourites", in: outbox, accessible: session) { favourite in
///         TimelineService.setFavourite(favourite.isOn, favourite.status)
///     }
///     try await favourites.send(Favourite(status: "5", isOn: true), about: "5")
///
/// The laws of ``Outbox`` hold for them. Each attempt to send a request has the same key, so a server that remembers
/// keys performs it once. On a server that does not, requests should be idempotent.
///
/// A server may remember a refusal, too. So a request that a person sends again gets another key if it is certain that
/// none of its attempts was done: if each was refused, turned away (401, 407, 421, 425, 429) or not sent, or if the last one was
/// refused for its content (400, 422). A server that remembers keys looks for the key before it looks at the content,
/// so it would have repeated its answer to an attempt that was done. After a lost answer, any other refusal may come
/// from something in front of the server, or mean that the first attempt is still under way; the key stays.
///
/// A request made from a resource is done when the server answers with a status from 200 to 299, and the resource can
/// read the answer. If its `Response` is `Void`, it reads nothing. An answer that it cannot read, such as
/// `{"ok": false}` where an object is expected, says neither that the request was done nor that it was not; the request
/// is parked with ``ParkedWrite/Cause/unconfirmed``, and keeps its key. A web page is not the server's answer: the request is sent again later. If a server
/// answers with web pages, pass a function that performs the request.
public struct DurableRequests<Request: Codable & Sendable>: Sendable {
    private let outbox: Outbox
    private let channel: RequestChannel<Request>

    /// - Parameters:
    ///   - name: The name of this kind of requests, by which the requests of an earlier run of the program are found. No
    ///     other requests, and no table, may have it in this outbox.
    ///   - perform: Sends a request with a key. If it throws `CoreError.webPage`, the request is sent again later. If it
    ///     throws another `CoreError.parsing`, the request may have been done; it is parked, and keeps its key.
    public init(
        _ name: String, in outbox: Outbox,
        perform: @escaping @Sendable (Request, UUID) async throws(CoreError) -> Void
    ) throws(StoreError) {
        self.outbox = outbox
        channel = RequestChannel(name: name, perform: perform)
        try outbox.add(channel)
    }

    /// Makes the requests of a resource durable. The stored value is the body.
    ///
    /// - Parameter resource: The resource of a request. The header field `Idempotency-Key` is added to it.
    public init<Response, Auth: CredentialedAuthentication>(
        _ name: String, in outbox: Outbox, accessible: any AuthenticatedAccessible,
        resource: @escaping @Sendable (Request) -> BackendResource<Request, Response, Auth>
    ) throws(StoreError) {
        try self.init(name, in: outbox) { (request, key) async throws(CoreError) in
            _ = try await accessible.access(resource(request).durable(key), with: request) as Response
        }
    }

    /// Makes the requests of a resource without a body durable. The resource is made from the stored value.
    ///
    /// - Parameter resource: The resource of a request. The header field `Idempotency-Key` is added to it.
    public init<Response, Auth: CredentialedAuthentication>(
        _ name: String, in outbox: Outbox, accessible: any AuthenticatedAccessible,
        resource: @escaping @Sendable (Request) -> BackendResource<Void, Response, Auth>
    ) throws(StoreError) {
        try self.init(name, in: outbox) { (request, key) async throws(CoreError) in
            _ = try await accessible.access(resource(request).durable(key), with: ()) as Response
        }
    }

    /// Stores a request, and sends it as soon as possible.
    ///
    /// - Parameter entity: The id of the thing that the request is about. Requests about the same thing are sent one
    ///   after the other.
    public func send(_ request: Request, about entity: String) async throws(StoreError) {
        guard channel.isOpen else { throw Outbox.closed(channel.name) }
        let body: Data
        switch Parser.encode(request) as Result<Data, CoreError> {
        case let .success(data): body = data
        case let .failure(error): throw .refused(reason: "\(error)")
        }
        try outbox.write([body]) { [channel, outbox] body, number, transaction throws(StoreError) in
            let row = OutboxRow(
                number: number, entity: "\(channel.name)/\(entity)", channel: channel.name, body: body, truth: nil,
                key: UUID(), date: outbox.scheduler.currentDate)
            try transaction.insert([row])
            return row
        }
    }
}

extension DurableRequests {
    /// Ends the sending of these requests, as ``SyncedStore/close()`` does for writes to a table.
    public func close() async throws(StoreError) { try await outbox.close(channel) }
}

extension BackendResource {
    /// The request of a write or of a durable request: with its key, and not satisfied with a web page.
    func durable(_ key: UUID) -> BackendResource {
        var resource = refusingWebPages
        resource.headers["Idempotency-Key"] = key.uuidString
        return resource
    }
}

/// The requests of one kind in an outbox.
private struct RequestChannel<Request: Codable & Sendable>: OutboxChannel {
    let name: String
    let gate = OutboxGate()
    let perform: @Sendable (Request, UUID) async throws(CoreError) -> Void

    init(name: String, perform: @escaping @Sendable (Request, UUID) async throws(CoreError) -> Void) {
        self.name = name
        self.perform = perform
    }

    /// `true`, since a request that may have been done keeps its key.
    var marksSentWrites: Bool { true }

    func upgrade(_ outbox: SQLiteStore<OutboxRow>) throws(StoreError) {
        let numbers = try outbox.database.rows(
            "SELECT number FROM outbox WHERE channel = \(name) AND parking = \(OutboxRow.Parking.unreadable)")
        if numbers.isEmpty { return }
        try outbox.perform { transaction throws(StoreError) in
            // Rows that turn out to be damaged stay parked.
            let readable = try transaction.readableRows(numbers).filter {
                $0.parking == .unreadable && (try? request(of: $0)) != nil
            }
            try transaction.update(readable.map(\.unparked))
        }
    }

    func entity(of row: OutboxRow) -> String? { nil }

    private func request(of row: OutboxRow) throws(CoreError) -> Request { try Parser.parse(row.body).get() }

    func send(_ row: OutboxRow) async -> OutboxResult {
        let request: Request
        do throws(CoreError) {
            request = try self.request(of: row)
        } catch {
            return .parking(row, .unreadable, because: "\(error)", reach: .notSent)
        }
        do throws(CoreError) {
            try await perform(request, row.key)
        } catch {
            return result(of: row, error)
        }
        return OutboxResult(.answered) { transaction throws(StoreError) in
            try transaction.delete(ids: [row.number])
            return .done
        }
    }

    private func result(of row: OutboxRow, _ error: CoreError) -> OutboxResult {
        let reason = error.isWebPage ? WebPage.reason : "\(error)"
        switch SendingFailure(error) {
        case let .busy(after, mayBeDone):
            return postponing(row, .busy(reason: reason, after: after), mayBeDone: mayBeDone)
        case let .unreachable(mayBeDone):
            return postponing(row, .unreachable(reason: reason), mayBeDone: mayBeDone)
        case .unclear:
            return OutboxResult(.answered) { transaction throws(StoreError) in
                try transaction.park(row, .unconfirmed, because: reason)
            }
        case let .refused(wasSent):
            let wasNotDone = error.isRefusalOfContent || !row.isUncertain
            return OutboxResult(wasSent ? .answered : .notSent) { transaction throws(StoreError) in
                if wasNotDone { try transaction.unmark(row) }
                return try transaction.park(row, .refused, because: reason)
            }
        }
    }

    private func postponing(_ row: OutboxRow, _ reach: OutboxResult.Reach, mayBeDone: Bool) -> OutboxResult {
        OutboxResult(reach) { transaction throws(StoreError) in
            if !mayBeDone, !row.isUncertain { try transaction.unmark(row) }
            return .postponed
        }
    }

    func summary(of row: OutboxRow) -> String { String(decoding: row.body.prefix(200), as: UTF8.self) }

    func retry(_ row: OutboxRow, in transaction: SQLiteTransaction<OutboxRow>) throws(StoreError) -> [Int] {
        var row = row.unparked
        if !row.isUncertain { row.key = UUID() }
        try transaction.update([row])
        return []
    }

    func giveUp(_ row: OutboxRow, in transaction: SQLiteTransaction<OutboxRow>) throws(StoreError) -> [Int] {
        try transaction.delete(ids: [row.number])
        return [row.number]
    }

    func didSettle() {}
}

extension SQLiteTransaction<OutboxRow> {
    /// Records that no attempt was done.
    fileprivate func unmark(_ sent: OutboxRow) throws(StoreError) {
        guard var row = try readableRow(sent.number, of: sent.subject), row.isUncertain else { return }
        row.isUncertain = false
        try update([row])
    }
}

extension CoreError {
    /// `true` if the server has refused what the request says.
    var isRefusalOfContent: Bool {
        if case let .status(failure) = self { [400, 422].contains(failure.code) } else { false }
    }
}
