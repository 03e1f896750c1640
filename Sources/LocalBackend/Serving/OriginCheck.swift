import Foundation

/// Refuses requests that a web page may have sent without its user's knowledge.
///
/// Two attacks reach a server on loopback from a page of any site. *DNS rebinding* points the page's own name to
/// 127.0.0.1; the request then names that host, so only known names are answered. A *drive-by write* is a form or a
/// simple `fetch` to `http://localhost:8080`; the browser sends it without asking, and states the page's origin. A
/// request with a JSON body is not simple: the browser asks first, and a server that does not answer `OPTIONS` has
/// refused.
struct OriginCheck: Sendable {
    /// The names that are answered besides those of loopback; `nil` for any.
    private let hosts: Set<String>?
    private let origins: Set<String>
    /// The last host that was accepted, because most clients use the same one again.
    private var goodHost: String?

    init(hosts: Set<String>?, origins: Set<String>) {
        self.hosts = hosts
        self.origins = Set(origins.map(OriginCheck.normalized))
    }

    /// Returns the reason to refuse the request, if there is one.
    mutating func refusal(of request: LocalBackend.Request) -> LocalBackend.Refusal? {
        let field = request.authority.map(String.init) ?? request.headers["Host"] ?? ""
        if let hosts, field != goodHost, !field.isEmpty {
            let host = name(in: field.lowercased())
            guard isLoopback(host) || hosts.contains(host) else {
                return .init(
                    421, "This server does not answer for \(field). Use localhost, or add the name to allowedHosts.")
            }
            goodHost = field
        }
        return refusal(ofWrite: request)
    }

    private func refusal(ofWrite request: LocalBackend.Request) -> LocalBackend.Refusal? {
        guard ![.get, .head, .options].contains(request.method), !request.hasJSONBody else { return nil }
        if let origin = request.headers["Origin"] {
            let normalized = OriginCheck.normalized(origin)
            guard request.isSameOrigin || origins.contains(where: { isSameName($0, normalized) }) else {
                return .init(
                    403,
                    "A page of \(origin) may not change this server. Send JSON, or add the origin to allowedOrigins.")
            }
        } else if let site = request.headers["Sec-Fetch-Site"], isSameName(site, "cross-site") {
            return .init(403, "A page of another site may not change this server.")
        }
        return nil
    }

    /// Returns an origin as browsers send it: without the scheme's own port, which a proxy may name in `Host`, and without
    /// a slash at its end, which an allowed origin may have.
    fileprivate static func normalized(_ origin: String) -> String {
        let text = origin.hasSuffix("/") ? origin.dropLast() : origin[...]
        let port = isSameName(String(text.prefix(8)), "https://") ? ":443" : ":80"
        return String(text.hasSuffix(port) ? text.dropLast(port.count) : text)
    }

    /// Returns the host without its port: `localhost` for `localhost:8080`, `[::1]` for `[::1]:8080`.
    private func name(in host: String) -> String {
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[...end]) }
        return String(host.prefix { $0 != ":" })
    }

    /// Returns true for a name or an address of loopback. Only full addresses count: `127.0.0.1.example.com` is not
    /// loopback.
    private func isLoopback(_ name: String) -> Bool {
        if name == "localhost" || name == "[::1]" || name.hasSuffix(".localhost") { return true }
        let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}

extension LocalBackend.Request {
    /// True if the page that sent the request is one of the server's own: its `Origin` names the host that it was sent to.
    ///
    /// False for clients that state no origin, such as programs; browsers state it with every write.
    public var isSameOrigin: Bool {
        guard let origin = headers["Origin"], let host = authority.map(String.init) ?? headers["Host"] else {
            return false
        }
        let own = OriginCheck.normalized(origin)
        return ["http://\(host)", "https://\(host)"].contains { isSameName(OriginCheck.normalized($0), own) }
    }

    /// True if the body is declared as JSON: `application/json` or `application/problem+json`.
    var hasJSONBody: Bool {
        let type = headers["Content-Type"]?.lowercased().prefix { $0 != ";" && $0 != " " } ?? ""
        return type == "application/json" || type.hasSuffix("+json")
    }
}
