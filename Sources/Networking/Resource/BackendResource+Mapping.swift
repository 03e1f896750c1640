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
            path: path, method: method, query: query, headers: headers, request: handler, encoder: encoder,
            reader: BackendResource<Void, Response, Auth>.Reader(reader))
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
            path: path, method: method, query: query, headers: headers, request: request, encoder: encoder,
            reader: reader)
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
