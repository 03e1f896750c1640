import Foundation
import Networking
import Persistence

/// Requests of one kind that are kept in an outbox until the server has answered them.
///
///     let favourites = try DurableRequests<Favourite>("favourites", in: outbox, accessible: session) { favourite in
///         TimelineService.setFavourite(favourite.isOn, favourite.status)
///     }
///     try await favourites.send(Favourite(status: "5", isOn: true), about: "5")
///
/// The laws of ``Outbox`` hold for them. The key is the same for each try of one request, so that a server which remembers
/// keys does it once. A server that does not should give a request the same effect twice as once.
public struct DurableRequests<Request: Codable & Sendable>: Sendable {
    private let outbox: Outbox
    private let channel: RequestChannel<Request>

    /// - Parameters:
    ///   - name: The name of this kind of requests; requests that an earlier run of the program has left are found by it.
    ///   - perform: Sends a request with a key.
    public init(
        _ name: String, in outbox: Outbox,
        perform: @escaping @Sendable (Request, UUID) async throws(CoreError) -> Void
    ) throws(StoreError) {
        self.outbox = outbox
        channel = RequestChannel(name: name, perform: perform)
        try outbox.add(channel)
    }

    /// Makes the requests of a resource durable. The value that is kept is the body.
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

    /// Makes the requests of a resource without a body durable. The value that is kept says which resource it is.
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

    /// Keeps a request, and sends it as soon as that is possible.
    ///
    /// - Parameter entity: The thing that the request is about. Requests about one thing are sent one after the other.
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

    /// `true`: the server's objects tell nothing of a request, so nothing need be noted before it is sent.
    var remembersKeys: Bool { true }

    func send(_ row: OutboxRow) async -> OutboxResult {
        do throws(CoreError) {
            let request: Request = try Parser.parse(row.body).get()
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
            case .refused:
                return OutboxResult(.answered) { transaction throws(StoreError) in
                    var row = row
                    (row.parking, row.reason) = (.refused, reason)
                    try transaction.update([row])
                    return .parked
                }
            }
        }
    }

    func summary(of row: OutboxRow) -> String { String(decoding: row.body.prefix(200), as: UTF8.self) }

    func retry(_ row: OutboxRow, in transaction: SQLiteTransaction<OutboxRow>) throws(StoreError) -> [Int] {
        var row = row
        (row.parking, row.reason, row.key) = (.none, nil, UUID())
        try transaction.update([row])
        return []
    }

    func giveUp(_ row: OutboxRow, in transaction: SQLiteTransaction<OutboxRow>) throws(StoreError) -> [Int] {
        try transaction.delete(ids: [row.number])
        return [row.number]
    }

    func didSettle() {}
}
