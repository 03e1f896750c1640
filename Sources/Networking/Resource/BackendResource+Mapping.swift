// MARK: - Made from another one

extension BackendResource {
    /// Returns this resource with its value, so that it can be performed without one.
    ///
    /// ```swift
    /// accessible.access(CitiesService.requestDelivery().sending(address))
    /// ```
    public func sending(_ value: Request) -> BackendResource<Void, Response, Auth> {
        var handler: BackendResource<Void, Response, Auth>.RequestHandler?
        if let request { handler = { _, encoder in request(value, encoder) } }
        return BackendResource<Void, Response, Auth>(
            path: path, method: method, query: query, headers: headers, timeout: timeout, totalTimeout: totalTimeout,
            request: handler, encoder: encoder, reader: BackendResource<Void, Response, Auth>.Reader(reader))
    }

    /// Returns this resource with its answer turned into another value.
    ///
    /// ```swift
    /// let cities = CitiesService.fetchCities().map(\.cities)
    /// ```
    public func map<Value>(
        _ transform: @escaping @Sendable (Response) -> Value
    ) -> BackendResource<Request, Value, Auth> {
        let reader: BackendResource<Request, Value, Auth>.Reader =
            switch reader {
            case .body(let read): .body { read($0).map(transform) }
            case .answer(let read): .answer { read($0, $1).map(transform) }
            }
        return BackendResource<Request, Value, Auth>(
            path: path, method: method, query: query, headers: headers, timeout: timeout, totalTimeout: totalTimeout,
            request: request, encoder: encoder, reader: reader)
    }

    /// Returns this resource with timeouts of its own, which take precedence over those of the session.
    ///
    /// ```swift
    /// let feed = NewsService.fetchFeed().timingOut(after: .seconds(300))
    /// let version = VersionService.fetchVersion().timingOut(total: .seconds(2))
    /// ```
    ///
    /// A request that takes longer fails with ``NetworkFailure/Reason/timedOut``. Zero, or less, counts as a millisecond,
    /// and more than a year as a year; `URLSession` on Linux counts the silence in whole seconds, and at least one.
    ///
    /// - Parameters:
    ///   - timeout: The longest time that a server may be silent; `nil` to leave it as it is.
    ///   - totalTimeout: The longest time that `access` may take, with redirects, retries and a refresh of the
    ///     credentials; `nil` to leave it as it is.
    public func timingOut(after timeout: Duration? = nil, total totalTimeout: Duration? = nil) -> Self {
        var copy = self
        copy.timeout = timeout ?? self.timeout
        copy.totalTimeout = totalTimeout ?? self.totalTimeout
        return copy
    }
}

extension BackendResource.Reader {
    fileprivate init<Other>(_ other: BackendResource<Other, Response, Auth>.Reader) {
        switch other {
        case .body(let read): self = .body(read)
        case .answer(let read): self = .answer(read)
        }
    }
}
