import Foundation

/// The address of a resource: a path of one of the environment's services, or a full URL.
public enum ResourcePath: Hashable, Sendable {
    /// A path that is not percent-encoded: `.api(.core, "/v1/cities/São Paulo")`.
    case api(BackendEnvironment.Service, String)
    /// An address that is the same in every environment.
    ///
    /// If none of the environment's services has its server, only the harmless header fields of the session are sent there
    /// (`Accept`, `Accept-Language`, `Content-Type` and `User-Agent`). Add the server with
    /// ``BackendEnvironment/adding(_:at:)``, or give the resource `headers` of its own, to send others.
    case absolute(URL)

    /// Returns the URL in an environment, with the query.
    func url(in environment: BackendEnvironment, query: [URLQueryItem]) -> Result<URL, CoreError> {
        switch self {
        case .api(let service, let path):
            guard let base = environment.services[service] else {
                return .refused(
                    "The environment \"\(environment.name)\" has no address for the service \"\(service)\".")
            }
            return Self.url(from: base, path: path, query: query)
        case .absolute(let url):
            return Self.url(from: url, path: nil, query: query)
        }
    }

    private static func url(from base: URL, path: String?, query: [URLQueryItem]) -> Result<URL, CoreError> {
        if let path, query.isEmpty, let url = plainURL(from: base, path: path) { return .success(url) }
        guard var parts = URLComponents(url: base, resolvingAgainstBaseURL: true),
            ["http", "https"].contains(parts.scheme?.lowercased()), parts.host?.isEmpty == false
        else { return .refused("\(base) is not an http or https URL with a host.") }
        if let path {
            if let fault = fault(inPath: path) { return .refused(fault) }
            let prefix = parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path
            parts.path = prefix + (path.isEmpty || path.hasPrefix("/") ? path : "/" + path)
        }
        for item in query {
            if item.name.hasControlCharacter || item.value?.hasControlCharacter == true {
                return .refused("The query item \(item.name.debugDescription) holds a line break or a NUL.")
            }
        }
        if !query.isEmpty {
            let encoded = query.map { item in
                item.name.queryEncoded + (item.value.map { "=" + $0.queryEncoded } ?? "")
            }
            parts.percentEncodedQuery = ((parts.percentEncodedQuery.map { [$0] } ?? []) + encoded).joined(
                separator: "&")
        }
        parts.fragment = nil
        guard let url = parts.url else { return .refused("No URL can be made from \(base) and \(path ?? "")") }
        return .success(url)
    }

    /// Returns the URL if neither the base nor the path has anything to encode or to check, as most have; otherwise `nil`.
    /// Taking a URL apart and composing another one takes as long as setting up libcurl for the request.
    static func plainURL(from base: URL, path: String) -> URL? {
        let (slash, colon) = (UInt8(ascii: "/"), UInt8(ascii: ":"))
        var text = base.absoluteString
        let scheme = ["http://", "https://"].first { text.utf8.starts(with: $0.utf8) }
        guard let scheme, path.utf8.first == slash else { return nil }
        // Neither an empty host nor an empty port, and no user.
        var previous = slash
        for byte in text.utf8.dropFirst(scheme.utf8.count) {
            guard byte.isUnreserved || (byte == slash || byte == colon) && previous != slash && previous != colon
            else { return nil }
            previous = byte
        }
        guard previous != colon else { return nil }
        previous = 0
        for byte in path.utf8 {
            guard byte.isUnreserved || byte == slash, previous != slash || byte != slash && byte != UInt8(ascii: ".")
            else { return nil }
            previous = byte
        }
        if text.utf8.last == slash { text.removeLast() }
        return URL(string: text + path)
    }

    private static func fault(inPath path: String) -> String? {
        if path.hasControlCharacter { return "The path \(path.debugDescription) holds a line break or a NUL." }
        if path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) {
            return "The path \"\(path)\" holds \".\" or \"..\", which lead elsewhere."
        }
        if path.hasPrefix("//") { return "The path \"\(path)\" begins with two slashes, which would name a host." }
        return nil
    }
}

extension Result where Failure == CoreError {
    static func refused(_ reason: String) -> Result { .failure(.request(RequestFailure(reason))) }
}

extension String {
    /// True if the text has a line break or a NUL, and so could begin a line of its own in the request.
    var hasControlCharacter: Bool { utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 } }

    /// The text with all but unreserved characters (RFC 3986, 2.3) percent-encoded, so that no server reads a plus as a
    /// space.
    fileprivate var queryEncoded: String { addingPercentEncoding(withAllowedCharacters: .unreserved) ?? "" }
}

extension UInt8 {
    /// RFC 3986, 2.3.
    fileprivate var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

extension CharacterSet {
    fileprivate static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
