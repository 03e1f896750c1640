import Foundation
import Networking
import Persistence

/// Requests of one kind that an outbox keeps until the server has answered them.
///
///     let favourites = try DurableRequests<Favourite>("favourites", in: outbox, accessible: session) { favourite in
///         TimelineService.setFavourite(favourite.isOn, favourite.status)
///     }
///     try await favourites.send(Favourite(status: "5", isOn: true), about: "5")
///
/// The laws of ``Outbox`` hold for them. Each attempt to send a request has the same key, so a server that remembers
/// keys performs it once. On a server that does not, requests should be idempotent.
public struct DurableRequests<Request: Codable & Sendable>: Sendable {
    private let outbox: Outbox
    private let channel: RequestChannel<Request>

    /// - Parameters:
    ///   - name: The name of this kind of requests, by which the requests of an earlier run of the program are found. No
    ///     other requests, and no table, may have it in this outbox.
    ///   - perform: Sends a request with a key.
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
        try self.init(name, in: outbox) { request, key async throws(CoreError) in
            _ = try await accessible.access(resource(request).with(key), with: request) as Response
        }
    }

    /// Makes the requests of a resource without a body durable. The resource is made from the stored value.
    ///
    /// - Parameter resource: The resource of a request. The header field `Idempotency-Key` is added to it.
    public init<Response, Auth: CredentialedAuthentication>(
        _ name: String, in outbox: Outbox, accessible: any AuthenticatedAccessible,
        resource: @escaping @Sendable (Request) -> BackendResource<Void, Response, Auth>
    ) throws(StoreError) {
        try self.init(name, in: outbox) { request, key async throws(CoreError) in
            _ = try await accessible.access(resource(request).with(key), with: ()) as Response
        }
    }

    /// Stores a request, and sends it as soon as possible.
    ///
    /// - Parameter entity: The id of the thing that the request is about. Requests about the same thing are sent one
    ///   after the other.
    public func send(_ request: Request, about entity: String) async throws(StoreError) {
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

extension BackendResource {
    fileprivate func with(_ key: UUID) -> BackendResource {
        var resource = self
        resource.headers["Idempotency-Key"] = key.uuidString
        return resource
    }
}

/// The requests of one kind in an outbox.
private struct RequestChannel<Request: Codable & Sendable>: OutboxChannel {
    let name: String
    let perform: @Sendable (Request, UUID) async throws(CoreError) -> Void

    /// `true`, since the server's objects do not show if a request was done; so it need not be marked before it is
    /// sent.
    var remembersKeys: Bool { true }

    func upgrade(_ rows: [OutboxRow], in outbox: SQLiteStore<OutboxRow>) throws(StoreError) -> [OutboxRow] {
        let readable = rows.filter { $0.parking == .unreadable && (try? request(of: $0)) != nil }
        if readable.isEmpty { return rows }
        try outbox.perform { transaction throws(StoreError) in try transaction.update(readable.map(\.unparked)) }
        let numbers = Set(readable.map(\.number))
        return rows.map { numbers.contains($0.number) ? $0.unparked : $0 }
    }

    private func request(of row: OutboxRow) throws(CoreError) -> Request { try Parser.parse(row.body).get() }

    func send(_ row: OutboxRow) async -> OutboxResult {
        let request: Request
        do throws(CoreError) {
            request = try self.request(of: row)
        } catch {
            return .parking(row, .unreadable, because: "\(error)")
        }
        do throws(CoreError) {
            try await perform(request, row.key)
            return OutboxResult(.answered) { transaction throws(StoreError) in
                try transaction.delete(ids: [row.number])
                return .done
            }
        } catch {
            let reason = "\(error)"
            switch SendingFailure(error) {
            case let .busy(after): return OutboxResult(.busy(reason: reason, after: after)) { _ in .postponed }
            case .unreachable: return OutboxResult(.unreachable(reason: reason)) { _ in .postponed }
            case .refused: return .parking(row, .refused, because: reason)
            }
        }
    }

    func summary(of row: OutboxRow) -> String { String(decoding: row.body.prefix(200), as: UTF8.self) }

    func retry(_ row: OutboxRow, in transaction: SQLiteTransaction<OutboxRow>) throws(StoreError) -> [Int] {
        var row = row.unparked
        row.key = UUID()
        try transaction.update([row])
        return []
    }

    func giveUp(_ row: OutboxRow, in transaction: SQLiteTransaction<OutboxRow>) throws(StoreError) -> [Int] {
        try transaction.delete(ids: [row.number])
        return [row.number]
    }

    func didSettle() {}
}
