import Foundation
import JSON

extension LocalBackend {
    /// A request as the server received it.
    public struct Request: Sendable, Equatable {
        /// The method.
        public internal(set) var method: Method
        /// The request target exactly as it was sent: path and query, still percent-encoded.
        public internal(set) var target: String
        /// The values of the `:name` segments of the route.
        public internal(set) var parameters: [String: String] = [:]
        /// The header fields.
        public internal(set) var headers: Headers = [:]
        /// The bytes of the body; empty if there is none.
        public internal(set) var body = Data()

        /// 0 for HTTP/1.0, 1 for HTTP/1.1 and later.
        var minorVersion: Int

        /// The percent-decoded path, `/v1/cities`.
        public var path: String { percentDecoded(encodedPath.utf8) }

        /// The decoded query. Its items are looked up by name: `request.query["page"]`.
        public var query: Query {
            guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return Query("") }
            return Query(target[target.index(after: mark)...])
        }

        /// Returns the body, decoded from JSON. If it is not the JSON of `T`, a ``Refusal`` with status 400 is thrown.
        ///
        /// A body whose `Content-Type` is not JSON is refused with 415. If you pass a decoder, its settings are followed.
        public func decode<T: Decodable>(_ type: T.Type = T.self, decoder: JSONDecoder? = nil) throws -> T {
            if let type = headers["Content-Type"], !hasJSONBody {
                throw Refusal(415, "The body is declared as \(type). Send application/json.")
            }
            do {
                guard let decoder else { return try StrictJSONDecoder().decode(type, from: body) }
                return try StrictJSONDecoder.decode(type, from: body, settingsOf: decoder)
            } catch {
                throw Refusal(400, "The body is not the JSON of \(type): \(error)")
            }
        }

        /// Returns a parameter of the path, converted: `let id: Int = try request.parameter("id")`.
        ///
        /// Throws a ``Refusal`` with status 400 if it does not convert.
        public func parameter<T: LosslessStringConvertible>(_ name: String, as type: T.Type = T.self) throws -> T {
            guard let text = parameters[name] else {
                throw Refusal(500, "The route of \(method) \(target) has no parameter :\(name).")
            }
            guard let value = T(text) else {
                throw Refusal(400, "The \(name) in \(target) is not a value of \(type): \(text)")
            }
            return value
        }
    }
}

extension LocalBackend.Request {
    /// The path of the target without its query, and without scheme and host if the target is a whole URL, as for a
    /// proxy.
    var encodedPath: Substring {
        let path = target[..<(target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex)]
        guard let authority else { return path }
        return authority.endIndex < path.endIndex ? path[authority.endIndex...] : "/"
    }

    /// The host and port in the target, if it is a whole URL, as for a proxy. They take the place of the `Host` field.
    var authority: Substring? {
        guard !target.hasPrefix("/"), let scheme = target.range(of: "://") else { return nil }
        return target[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
    }

    /// The decoded segments of the path; an encoded slash does not divide them.
    var segments: [String] {
        encodedPath.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
            .map { percentDecoded($0) }
    }

    /// True if the client would like to go on with this connection.
    var keepsAlive: Bool {
        let options = headers.list("Connection")
        guard !options.contains(where: { isSameName($0, "close") }) else { return false }
        return minorVersion > 0 || options.contains { isSameName($0, "keep-alive") }
    }
}
