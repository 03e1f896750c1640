import Foundation

/// The version of a resource that a client has, identified by header fields of the response.
///
/// Store it together with the resource: the next request then transfers the resource only if it has changed.
public struct ResourceVersion: Hashable, Codable, Sendable {
    /// The `ETag` field.
    public var tag: String?
    /// The `Last-Modified` field, as the server wrote it.
    public var lastModified: String?

    /// Returns `nil` if neither field is known.
    public init?(tag: String?, lastModified: String?) {
        guard tag != nil || lastModified != nil else { return nil }
        self.tag = tag
        self.lastModified = lastModified
    }
}

/// The answer to a request for a resource that may not have changed.
public enum Conditional<Value: Sendable>: Sendable {
    /// The client has the current version.
    case unchanged
    /// The resource, and its version if the server sent one.
    case changed(Value, ResourceVersion?)
}

extension Conditional: Equatable where Value: Equatable {}

extension BackendResource {
    /// The same resource, transferred only if it is not the version that the client has.
    ///
    /// ```swift
    /// let feed = NewsService.fetchFeed().ifChanged(since: version)
    /// switch try await accessible.access(feed) {
    /// case .unchanged: break
    /// case .changed(let news, let version): keep(news, version)
    /// }
    /// ```
    ///
    /// - Parameter version: The version that the client has; `nil` to transfer the resource in any case.
    public func ifChanged(since version: ResourceVersion?) -> BackendResource<Request, Conditional<Response>, Auth> {
        var headers = headers
        if let version {
            headers["If-None-Match"] = version.tag
            headers["If-Modified-Since"] = version.lastModified
        }
        return BackendResource<Request, Conditional<Response>, Auth>(
            path: path, method: method, query: query, headers: headers, timeout: timeout, totalTimeout: totalTimeout,
            request: request, encoder: encoder,
            reader: .answer { [response] body, answer in
                let head = answer as? HTTPURLResponse
                if head?.statusCode == 304 { return .success(.unchanged) }
                let version = ResourceVersion(
                    tag: head?.value(forHTTPHeaderField: "ETag"),
                    lastModified: head?.value(forHTTPHeaderField: "Last-Modified"))
                return response(body, answer).map { .changed($0, version) }
            })
    }
}

extension TransportRequest {
    /// True if the server may answer with 304, which means that the resource has not changed.
    var isConditional: Bool { headers["If-None-Match"] != nil || headers["If-Modified-Since"] != nil }
}
