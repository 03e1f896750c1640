import Foundation
import Networking

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The resources of a Mastodon server.
enum TimelineService {
    /// The requested part of a list of statuses.
    struct Range: Equatable, Sendable {
        /// Only statuses older than this one.
        var maxID: String?
        /// Only statuses newer than this one.
        var sinceID: String?
        var limit = 20

        var query: [URLQueryItem] {
            var items = [URLQueryItem(name: "limit", value: "\(limit)")]
            if let maxID { items.append(URLQueryItem(name: "max_id", value: maxID)) }
            if let sinceID { items.append(URLQueryItem(name: "since_id", value: sinceID)) }
            return items
        }
    }

    // MARK: - Lists

    static func fetchHome(_ range: Range) -> BackendResource<Void, StatusPage, KongAuth> {
        page("/api/v1/timelines/home", range)
    }

    static func fetchStatuses(of account: Account.ID, _ range: Range) -> BackendResource<Void, StatusPage, KongAuth> {
        page("/api/v1/accounts/\(account.pathSegment)/statuses", range)
    }

    private static func page(_ path: String, _ range: Range) -> BackendResource<Void, StatusPage, KongAuth> {
        BackendResource(
            path: .api(.core, path), method: .GET, query: range.query,
            response: { data, response in
                (Parser.parse(data) as Result<Pruned<Status>, CoreError>).map {
                    StatusPage(statuses: $0.wrappedValue, links: LinkHeader(response), leftOut: $0.projectedValue.count)
                }
            })
    }

    // MARK: - Statuses

    static func fetchStatus(_ id: Status.ID) -> BackendResource<Void, Status, KongAuth> {
        BackendResource(path: .api(.core, "/api/v1/statuses/\(id.pathSegment)"), method: .GET)
    }

    static func fetchContext(of id: Status.ID) -> BackendResource<Void, StatusContext, KongAuth> {
        BackendResource(path: .api(.core, "/api/v1/statuses/\(id.pathSegment)/context"), method: .GET)
    }

    static func setFavourite(_ isFavourite: Bool, _ id: Status.ID) -> BackendResource<Void, Status, KongAuth> {
        act(isFavourite ? "favourite" : "unfavourite", id)
    }

    static func setReblogged(_ isReblogged: Bool, _ id: Status.ID) -> BackendResource<Void, Status, KongAuth> {
        act(isReblogged ? "reblog" : "unreblog", id)
    }

    private static func act(_ act: String, _ id: Status.ID) -> BackendResource<Void, Status, KongAuth> {
        BackendResource(path: .api(.core, "/api/v1/statuses/\(id.pathSegment)/\(act)"), method: .POST)
    }

    // MARK: - Accounts

    static func fetchAccount(_ id: Account.ID) -> BackendResource<Void, Account, KongAuth> {
        BackendResource(path: .api(.core, "/api/v1/accounts/\(id.pathSegment)"), method: .GET)
    }

    static func updateCredentials() -> BackendResource<CredentialsUpdate, Account, KongAuth> {
        BackendResource(path: .api(.core, "/api/v1/accounts/update_credentials"), method: .PATCH)
    }
}

/// A change of the signed-in account.
struct CredentialsUpdate: Encodable, Equatable, Sendable {
    var displayName: String

    private enum CodingKeys: String, CodingKey {
        case displayName = "display_name"
    }
}

extension String {
    /// An id from a server as one segment of a path, without slashes, so that it cannot lead to another path.
    fileprivate var pathSegment: String {
        // A mark after a slash joins it to one character, which is not a slash.
        String(String.UnicodeScalarView(unicodeScalars.filter { $0 != "/" }))
    }
}
