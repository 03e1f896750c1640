import Foundation

/// Removes secrets from logs and recordings. It recognises them by the names of header fields, query items and JSON
/// keys.
public struct Redaction: Sendable {
    /// The text that replaces a secret.
    public static let mark = "<redacted>"

    /// A name that contains one of these, in any case and with or without separators, names a secret.
    public var words: Set<String>
    /// Words that name a secret only if they are the whole name: `code` does, `postal_code` does not.
    public var names: Set<String>

    /// Makes a redaction; without arguments it knows the common names of secrets.
    public init(
        words: Set<String> = [
            "authorization", "cookie", "token", "secret", "password", "passwd", "passphrase", "pwd", "apikey",
            "credential", "signature", "sessionid", "sessionkey", "privatekey", "accesskey", "jwt", "oauth", "xauth",
            "authkey", "authcode", "authuser", "accesscode", "verificationcode", "onetimecode", "apisig", "appkey",
            "assertion", "bearer", "encryptionkey", "hmac", "licensekey", "masterkey", "passcode", "pincode", "saml",
            "sessid", "signingkey", "subscriptionkey", "totp",
        ],
        names: Set<String> = [
            "auth", "code", "key", "otp", "pass", "pin", "session", "sid", "sig",
        ]
    ) {
        self.words = words
        self.names = names
    }

    /// Returns true if a header field, a query item or a JSON key of this name holds a secret.
    public func isSecret(_ name: String) -> Bool {
        let name = name.lowercased().filter(\.isLetter)
        return names.contains(name) || words.contains { name.contains($0) }
    }

    /// Returns the fields with the values of secret fields, and secret items in other values, replaced by the mark.
    public func headers(_ headers: HTTPHeaders) -> HTTPHeaders {
        headers.reduce(into: HTTPHeaders()) { $0[$1.name] = isSecret($1.name) ? Self.mark : text($1.value) }
    }

    /// Returns the URL without user, password and fragment, and with the values of secret query items replaced by the
    /// mark.
    public func url(_ url: URL) -> String {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url.redacted }
        (parts.user, parts.password) = (nil, nil)
        let items = parts.percentEncodedQuery?.split(separator: "&").map { item in
            let name = item.prefix { $0 != "=" }
            return isSecret(name.removingPercentEncoding ?? "") ? "\(name)=\(Self.mark)" : text(String(item))
        }
        parts.percentEncodedQuery = nil
        parts.fragment = nil
        return (parts.string ?? url.redacted) + (items.map { "?" + $0.joined(separator: "&") } ?? "")
    }

    /// Returns the text with the values of secret items and JSON members replaced by the mark, such as those of
    /// `?token=…` in a URL, encoded or not, and of `"token": …`.
    public func text(_ text: String) -> String { itemsRedacted(in: membersRedacted(in: text)) }

    private func itemsRedacted(in text: String) -> String {
        // Most texts have no item.
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "%") }) else { return text }
        var (result, rest) = ("", text[...])
        while let item = rest.firstItem {
            result += rest[..<item.value]
            rest = rest[item.value...]
            guard isSecret(String(item.name)) else { continue }
            if let quoted = rest.quotedValue {
                result += rest[..<quoted.lowerBound] + Self.mark
                rest = rest[quoted.upperBound...]
            } else {
                result += Self.mark
                rest = rest[rest.endOfItem...]
            }
        }
        return result + rest
    }
}

extension Substring {
    /// The name of the first item, and the start of its value after the `=`, which may be percent-encoded. It is found
    /// in one pass: bodies without an item can be long.
    fileprivate var firstItem: (name: Substring, value: Index)? {
        var (name, index) = (startIndex, startIndex)
        while index < endIndex {
            let next = utf8.index(after: index)
            switch utf8[index] {
            case UInt8(ascii: "="):
                if name < index { return (self[name..<index].prefix { $0 != "%" }, next) }
                (name, index) = (next, next)
            case UInt8(ascii: "%"):
                let end = endOfEscape(at: index) ?? next
                switch self[index..<end].lowercased() {
                case "%3d" where name < index: return (self[name..<index].prefix { $0 != "%" }, end)
                // A name in brackets, as in `user[password]=`.
                case "%5d" where isEqualsSign(at: end): index = end
                default: (name, index) = (end, end)
                }
            case let byte:
                index = next
                if !byte.isOfItemName, byte != UInt8(ascii: "]") || !isEqualsSign(at: next) { name = next }
            }
        }
        return nil
    }

    /// True if an `=` stands at an index, percent-encoded or not.
    private func isEqualsSign(at index: Index) -> Bool {
        let rest = self[index...].utf8
        return rest.first == UInt8(ascii: "=") || rest.starts(with: "%3D".utf8) || rest.starts(with: "%3d".utf8)
    }

    /// The end of the percent-encoded byte that begins at an index; `nil` if there is none.
    private func endOfEscape(at index: Index) -> Index? {
        let escape = self[index...].utf8.prefix(3)
        guard escape.count == 3, escape.dropFirst().allSatisfy(\.isHexDigit) else { return nil }
        return escape.endIndex
    }

    /// The value in quotes with which this text begins, without the quotes, to the end of the text if they do not end. `nil` if it
    /// begins with no quote, or with one that seems to end a string in which an empty value stands last.
    ///
    /// In a string of JSON or of code a backslash stands before each of the quotes.
    fileprivate var quotedValue: Range<Index>? {
        let bytes = utf8
        guard let start = bytes.firstIndex(where: { $0 != UInt8(ascii: "\\") }) else { return nil }
        let quote = bytes[start]
        let first = bytes.index(after: start)
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"), first < endIndex,
            !unicodeScalars[first].properties.isWhitespace, !",;:]})>".utf8.contains(bytes[first])
        else { return nil }
        let depth = bytes.distance(from: startIndex, to: start)
        var (index, backslashes) = (first, 0)
        while index < endIndex {
            if bytes[index] == UInt8(ascii: "\\") {
                backslashes += 1
            } else if bytes[index] == quote, backslashes <= depth {
                return first..<bytes.index(index, offsetBy: -backslashes)
            } else {
                backslashes = 0
            }
            index = bytes.index(after: index)
        }
        return first..<endIndex
    }

    /// The end of the value with which this text begins. A mark is part of the value, so that a text whose secrets are
    /// marked stays the same.
    fileprivate var endOfItem: Index {
        let isMarked = utf8.starts(with: Redaction.mark.utf8)
        return unicodeScalars.indices.dropFirst(isMarked ? Redaction.mark.count : 0).first { index in
            let scalar = unicodeScalars[index]
            return scalar.properties.isWhitespace || "&;,\"'<>".unicodeScalars.contains(scalar)
                || scalar == "%" && self[index...].utf8.starts(with: "%26".utf8)
        } ?? endIndex
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool { Character(Unicode.Scalar(self)).isHexDigit }

    fileprivate var isOfItemName: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension URL {
    /// The URL without user, password, query and fragment, for messages.
    package var redacted: String {
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return host() ?? "" }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return parts.string ?? host() ?? ""
    }
}
