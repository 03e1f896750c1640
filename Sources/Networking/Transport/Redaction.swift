import Foundation

/// Takes secrets out of what is logged or recorded: by the names of header fields, query items and JSON keys.
public struct Redaction: Sendable {
    /// What stands in the place of a secret.
    public static let mark = "<redacted>"

    /// A name that contains one of these, in any case and with or without separators, names a secret.
    public var words: Set<String>

    public init(
        words: Set<String> = [
            "authorization", "cookie", "token", "secret", "password", "passwd", "passphrase", "apikey", "credential",
            "signature", "sessionid", "privatekey", "accesskey", "otp", "pin",
        ]
    ) {
        self.words = words
    }

    public func isSecret(_ name: String) -> Bool {
        let name = name.lowercased().filter(\.isLetter)
        return words.contains { $0.count > 3 ? name.contains($0) : name == $0 }
    }

    public func headers(_ headers: HTTPHeaders) -> HTTPHeaders {
        headers.reduce(into: HTTPHeaders()) { $0[$1.name] = isSecret($1.name) ? Self.mark : $1.value }
    }

    /// The URL without user and password, and with secret query items marked.
    public func url(_ url: URL) -> String {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url.redacted }
        (parts.user, parts.password) = (nil, nil)
        let items = parts.percentEncodedQuery?.split(separator: "&").map { item in
            let name = item.prefix { $0 != "=" }
            return isSecret(name.removingPercentEncoding ?? "") ? "\(name)=\(Self.mark)" : String(item)
        }
        parts.percentEncodedQuery = nil
        parts.fragment = nil
        return (parts.string ?? url.redacted) + (items.map { "?" + $0.joined(separator: "&") } ?? "")
    }

    /// The JSON value with the values of secret keys replaced, at any depth. Strings become the mark, numbers zero and
    /// truth values false, so that what decoded before still decodes.
    public func json(_ value: Any) -> Any { json(value, isSecret: false) }

    private func json(_ value: Any, isSecret: Bool) -> Any {
        switch value {
        case let object as [String: Any]:
            var copy = object
            for (key, value) in object { copy[key] = json(value, isSecret: isSecret || self.isSecret(key)) }
            return copy
        case let array as [Any]: return array.map { json($0, isSecret: isSecret) }
        case is String where isSecret: return Self.mark
        case is Bool where isSecret: return false
        case is NSNumber where isSecret: return 0
        default: return value
        }
    }
}

extension URL {
    /// Without user, password, query and fragment, for messages.
    var redacted: String {
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return host() ?? "" }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return parts.string ?? host() ?? ""
    }
}
