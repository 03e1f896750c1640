import Foundation

extension LocalBackend.Response {
    /// Returns the same response with an `ETag` of its bytes, or 304 without a body if the request says, by
    /// `If-None-Match`, that the client has it already.
    ///
    ///     backend.get("/v1/cities") { request in .json(cities).tagged(for: request) }
    public func tagged(for request: LocalBackend.Request) -> Self {
        guard case .data(let data) = body, status == 200 else { return self }
        var tagged = self
        let tag = headers["ETag"] ?? "\"\(String(fingerprint(of: data), radix: 16))\""
        tagged.headers["ETag"] = tag
        let known = request.headers.values(of: "If-None-Match").flatMap(tags)
        let isKnown = known.contains(strong(tag)) || request.headers.list("If-None-Match") == ["*"]
        guard isKnown else { return tagged }
        tagged.status = 304
        tagged.body = .data(Data())
        tagged.headers["Content-Type"] = nil
        return tagged
    }
}

/// FNV-1a: enough to tell versions of a fixture apart.
private func fingerprint(of data: Data) -> UInt64 {
    data.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}

/// The tags of a field, without the marks of weak ones. A tag can hold a comma, but neither a quotation mark nor an escape.
private func tags(_ field: String) -> [String] {
    let parts = field.split(separator: "\"", omittingEmptySubsequences: false)
    return stride(from: 1, to: parts.count - 1, by: 2).map { "\"\(parts[$0])\"" }
}

private func strong(_ tag: String) -> String { tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag }
