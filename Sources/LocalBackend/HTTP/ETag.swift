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
        let known = request.headers.list("If-None-Match")
        guard known.contains(where: { $0 == "*" || weak($0) == weak(tag) }) else { return tagged }
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

private func weak(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
