import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The links of a `Link` header (RFC 8288), by their relation: the next and the previous page of a list, for example.
///
/// ```swift
/// let links = LinkHeader("<https://example.com/list?max_id=7>; rel=\"next\"")
/// links["next"]?.parameter("max_id")      // "7"
/// ```
public struct LinkHeader: Equatable, Sendable {
    private var urls: [String: String] = [:]

    /// Reads the value of the header. What is not a link is left out.
    public init(_ value: String) {
        var rest = Substring(value)
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            let url = String(rest[rest.index(after: start)..<end])
            rest = rest[rest.index(after: end)...]
            let parameters = Self.parameters(&rest)
            for relation in parameters["rel"]?.split(separator: " ") ?? [] where urls[relation.lowercased()] == nil {
                urls[relation.lowercased()] = url
            }
        }
    }

    /// Reads the header of an answer.
    public init(_ response: URLResponse) {
        self.init((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Link") ?? "")
    }

    /// The link with a relation, as in `links["next"]`, in any case.
    public subscript(relation: String) -> Link? { urls[relation.lowercased()].map(Link.init) }

    /// A link. Its host may be any; a client should not send its credentials there.
    public struct Link: Equatable, Sendable {
        /// The address, as the server has written it.
        public let url: String

        /// The value of a parameter of the query.
        public func parameter(_ name: String) -> String? {
            URLComponents(string: url)?.queryItems?.first { $0.name == name }?.value
        }
    }

    /// The parameters of a link, up to the comma before the next one.
    private static func parameters(_ text: inout Substring) -> [String: String] {
        var parameters: [String: String] = [:]
        var name = ""
        /// `nil` before the equals sign.
        var value: String?
        var isQuoted = false
        func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespaces) }
        func add() {
            let name = trimmed(name).lowercased()
            if !name.isEmpty, parameters[name] == nil { parameters[name] = trimmed(value ?? "") }
        }
        while let character = text.popFirst() {
            switch character {
            case "\"": isQuoted.toggle()
            case "\\" where isQuoted:
                let escaped = text.popFirst() ?? "\\"
                value?.append(escaped)
            case ",", ";":
                if isQuoted {
                    value?.append(character)
                } else {
                    add()
                    if character == "," { return parameters }
                    (name, value) = ("", nil)
                }
            case "=" where value == nil && !isQuoted: value = ""
            case _ where value == nil: name.append(character)
            default: value?.append(character)
            }
        }
        add()
        return parameters
    }
}
