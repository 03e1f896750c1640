import Feedback
import Foundation
import LocalBackend

/// A small Mastodon server with a dozen accounts and some hundred made-up statuses.
///
///     let server = MastodonServer()
///     server.serve(on: backend)
///     server.publish(30)              // others write
///
/// There are 10,000 statuses at most: the oldest go.
///
/// It answers the requests of the timeline as a real server does: lists are paged by `max_id`, `since_id` and `limit`
/// with a `Link` header, dates come with and without fractions, contents are HTML, and some values are `null` or
/// missing. One element in a hundred is not a status. Requests without a bearer token are refused.
public final class MastodonServer: Sendable {
    /// The id of the signed-in account.
    public static let ownAccount = "1"

    private let data: Locked<ServerData>
    private let writtenBetweenRefreshes: Int

    /// - Parameters:
    ///   - statusCount: The number of statuses to begin with.
    ///   - writtenBetweenRefreshes: The number of statuses that others write each time before a client asks for new
    ///     statuses.
    public init(statusCount: Int = 300, writtenBetweenRefreshes: Int = 0) {
        data = Locked(ServerData(statusCount: statusCount))
        self.writtenBetweenRefreshes = writtenBetweenRefreshes
    }

    /// Lets others write statuses.
    public func publish(_ count: Int) {
        data.withLock { $0.publish(count) }
    }

    /// Lets the server refuse the next `count` requests that would change something.
    public func refuseNextChanges(_ count: Int) { data.withLock { $0.refusals = count } }

    public func serve(on backend: LocalBackend) {
        backend.get("/api/v1/timelines/home") { [self] request in
            // A request for a gap has both.
            let isRefresh = request.query["since_id"] != nil && request.query["max_id"] == nil
            return try page(request, "/api/v1/timelines/home") { [writtenBetweenRefreshes] data in
                if isRefresh { data.publish(writtenBetweenRefreshes) }
                return data.timeline
            }
        }
        backend.get("/api/v1/accounts/:id/statuses") { [self] request in
            let id: String = try request.parameter("id")
            return try page(request, "/api/v1/accounts/\(id)/statuses") { data in
                data.timeline.filter { $0.account == id }
            }
        }
        backend.get("/api/v1/accounts/:id") { [self] request in
            try answer(request) { try $0.account(request.parameter("id")) }
        }
        backend.patch("/api/v1/accounts/update_credentials") { [self] request in
            let change: CredentialsChange = try request.decode()
            return try answer(request, isChange: true) { try $0.rename(Self.ownAccount, to: change.display_name) }
        }
        backend.get("/api/v1/statuses/:id") { [self] request in
            try answer(request) { try $0.status(request.parameter("id")) }
        }
        backend.get("/api/v1/statuses/:id/context") { [self] request in
            try answer(request) { try $0.context(of: request.parameter("id")) }
        }
        for act in ["favourite", "unfavourite", "reblog", "unreblog"] {
            backend.post("/api/v1/statuses/:id/\(act)") { [self] request in
                try answer(request, isChange: true) { try $0.act(act, on: request.parameter("id")) }
            }
        }
    }

    private struct CredentialsChange: Decodable {
        let display_name: String
    }

    // MARK: - Answering

    private func answer<Answer: Encodable>(
        _ request: LocalBackend.Request, isChange: Bool = false, _ body: (inout ServerData) throws -> Answer
    ) throws -> LocalBackend.Response {
        guard request.headers["Authorization"]?.hasPrefix("Bearer ") == true else {
            throw LocalBackend.Refusal(401, "The access token is invalid.")
        }
        let result = data.withLock { data -> Result<Data, any Error> in
            Result {
                if isChange { try data.takeRefusal() }
                let encoder = JSONEncoder()
                encoder.outputFormatting = .withoutEscapingSlashes
                return try encoder.encode(body(&data))
            }
        }
        return .data(try result.get(), contentType: "application/json")
    }

    private func page(
        _ request: LocalBackend.Request, _ path: String, _ list: (inout ServerData) -> [ServerStatus]
    ) throws -> LocalBackend.Response {
        let limit = min(40, max(1, request.query["limit"].flatMap { Int($0) } ?? 20))
        let below = request.query["max_id"].flatMap { UInt64($0) } ?? .max
        let above = request.query["since_id"].flatMap { UInt64($0) } ?? 0
        var next: String?
        var response = try answer(request) { data in
            let matching = list(&data).filter { $0.id < below && $0.id > above }
            let page = matching.prefix(limit)
            if matching.count > limit { next = page.last.map { "\($0.id)" } }
            return page.map(data.listElement)
        }
        if let next {
            let host = request.headers["Host"] ?? "localhost"
            response.headers["Link"] = "<http://\(host)\(path)?limit=\(limit)&max_id=\(next)>; rel=\"next\""
        }
        return response
    }
}
