import Foundation
import Networking

/// Removes the secrets of one exchange from everything that is recorded about it: the values of fields with a secret's
/// name, and the values of the credentials, anywhere and in any encoding.
package struct Scrubber {
    let redaction: Redaction
    /// The secrets in all the forms that they can have, the longest ones first.
    private let forms: [String]

    init(_ request: TransportRequest, _ responseHeaders: HTTPHeaders, redaction: Redaction) {
        var secrets: Set<String> = []
        for (name, value) in request.credentials?.0.headers ?? [:] {
            secrets.formUnion(Scrubber.secrets(in: name, of: value))
        }
        for (name, value) in Array(request.headers) + Array(responseHeaders) where redaction.isSecret(name) {
            secrets.formUnion(Scrubber.secrets(in: name, of: value))
        }
        let parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
        for item in parts?.queryItems ?? [] where redaction.isSecret(item.name) { secrets.insert(item.value ?? "") }
        if let password = parts?.password { secrets.insert(password) }
        self.init(secrets, redaction: redaction)
    }

    /// Makes a scrubber that removes these texts. One of fewer than four bytes would occur in words.
    package init(_ secrets: some Sequence<String>, redaction: Redaction) {
        self.redaction = redaction
        let forms = secrets.filter { $0.utf8.count >= 4 }.reduce(into: Set<String>()) {
            $0.formUnion(Scrubber.forms(of: $1))
        }
        self.forms = forms.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
    }

    private init(redaction: Redaction, forms: [String]) {
        self.redaction = redaction
        self.forms = forms
    }

    /// Returns a scrubber that looks only for the secrets that a JSON text contains.
    func narrowed(to json: Data) -> Scrubber {
        // Escaped text could be any secret.
        guard !json.contains(UInt8(ascii: "\\")) else { return self }
        let text = String(decoding: json, as: UTF8.self)
        return Scrubber(redaction: redaction, forms: forms.filter(text.contains))
    }

    /// Returns the text without secrets.
    func scrub(_ text: String) -> String {
        let known = forms.reduce(text) { $0.replacingOccurrences(of: $1, with: Redaction.mark) }
        return redaction.text(known)
    }

    /// Returns the secrets in a header field: `abc` in `Bearer abc`, the values of cookies, and the password of Basic.
    private static func secrets(in field: String, of value: String) -> [String] {
        switch field.lowercased() {
        case "set-cookie":
            // Several cookies are one value here, joined by commas; a comma is also in their dates.
            let starts = [value] + value.components(separatedBy: ", ")
            return starts.flatMap { $0.split(separator: ";").prefix(1).flatMap { afterEqualsSign(String($0)) } }
        case "cookie": return value.split(separator: ";").flatMap { afterEqualsSign(String($0)) }
        default: break
        }
        let words = value.split { $0 == " " || $0 == "," }.map(String.init)
        guard let scheme = words.first?.lowercased(), words.count > 1, schemes.contains(scheme) else {
            return [value] + value.components(separatedBy: ", ")
        }
        var secrets = [value] + words.dropFirst() + words.dropFirst().flatMap(afterEqualsSign)
        if scheme == "basic", let data = Data(base64Encoded: words[1]) {
            secrets += String(decoding: data, as: UTF8.self).split(separator: ":", maxSplits: 1).dropFirst()
                .map(String.init)
        }
        return secrets
    }

    private static let schemes: Set = ["basic", "bearer", "digest", "token", "apikey", "negotiate", "hawk", "dpop"]

    private static func afterEqualsSign(_ word: String) -> [String] {
        guard let equals = word.firstIndex(of: "=") else { return [] }
        let value = word[word.index(after: equals)...].trimmingCharacters(in: CharacterSet(charactersIn: "\" "))
        return value.isEmpty ? [] : [value]
    }

    /// Returns a secret as it is, percent-encoded once or twice with digits of either case, in base 64, and as JSON may
    /// write it.
    private static func forms(of secret: String) -> Set<String> {
        let once = secret.addingPercentEncoding(withAllowedCharacters: unreserved) ?? secret
        let twice = once.addingPercentEncoding(withAllowedCharacters: unreserved) ?? once
        let form = once.replacingOccurrences(of: "%20", with: "+")
        let inPath = secret.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? secret
        let inQuery = secret.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) ?? secret
        let forms = [secret, once, twice, form, inPath, inQuery, secret.replacingOccurrences(of: "/", with: "\\/")]
        return Set(forms + forms.map(lowercasingEscapes) + [Data(secret.utf8).base64EncodedString()])
    }

    private static func lowercasingEscapes(_ text: String) -> String {
        text.replacing(/%[0-9A-F]{2}/) { $0.output.lowercased() }
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
