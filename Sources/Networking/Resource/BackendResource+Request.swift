import Foundation

extension BackendResource {
    /// Returns the request to send for a value, or the reason why it is refused.
    func transportRequest(
        for value: Request, in environment: BackendEnvironment, headers defaults: HTTPHeaders,
        makeEncoder: () -> JSONEncoder
    ) -> Result<TransportRequest, CoreError> {
        path.url(in: environment, query: query).flatMap { url in
            var defaults = defaults
            if case .absolute = path, !environment.hasService(at: url) { defaults = defaults.harmless }
            let headers = defaults.merging(headers)
            if let fault = method.fault ?? headers.fault { return .refused(fault) }
            var transportRequest = TransportRequest(method: method, url: url, headers: headers)
            guard let request else { return .success(transportRequest) }
            return request(value, encoder ?? makeEncoder()).map { body in
                transportRequest.body = .data(body)
                if headers["Content-Type"] == nil { transportRequest.headers["Content-Type"] = "application/json" }
                return transportRequest
            }
        }
    }
}

extension HTTPMethod {
    /// The reason why the method cannot be sent, if there is one.
    var fault: String? {
        rawValue.isToken ? nil : "\(rawValue.debugDescription) is not an HTTP method."
    }
}

extension HTTPHeaders {
    /// The reason why these fields cannot be sent, if there is one. A line break in a field would begin another field,
    /// or another request.
    var fault: String? {
        for (name, value) in self {
            if !name.isToken { return "\(name.debugDescription) is not a valid name of a header field." }
            if value.hasControlCharacter { return "The header field \(name) holds a line break or a NUL." }
        }
        return nil
    }
}

extension String {
    /// RFC 9110, 5.6.2.
    fileprivate var isToken: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
