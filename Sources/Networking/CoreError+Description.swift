import Foundation

extension CoreError: CustomStringConvertible, LocalizedError {
    /// A sentence that says what happened and, if it is known, what to do about it.
    public var description: String {
        switch self {
        case .request(let failure): "The request was not sent: \(failure.reason)"
        case .encoding(let failure): "The request's body could not be encoded\(at(failure.path)): \(failure.reason)"
        case .network(let failure): failure.description
        case .status(let failure): failure.description
        case .parsing(let failure): "The answer could not be read\(at(failure.path)): \(failure.reason)"
        case .authentication(let failure): failure.description
        case .cancelled: "The request was cancelled."
        }
    }

    public var errorDescription: String? { description }

    private func at(_ path: String) -> String { path.isEmpty ? "" : " at \(path)" }
}

extension NetworkFailure: CustomStringConvertible {
    public var description: String {
        let place = url.isEmpty ? "the server" : url
        let sentence =
            switch reason {
            case .offline: "There is no network connection to reach \(place). Connect, then try again."
            case .cannotFindHost: "The host of \(place) has no known address. Check its spelling and the name server."
            case .cannotConnect:
                "\(place) does not accept connections. Check that the server runs and its port is right."
            case .connectionLost: "The connection to \(place) broke off before the whole answer had arrived. Try again."
            case .timedOut: "\(place) did not answer in time. Try again later, or allow a longer timeout."
            case .insecureConnection:
                "No secure connection to \(place) could be made. Check its certificate and the clock."
            case .tooManyRedirects:
                "\(place) redirected the request too many times, perhaps in a circle. Check the address."
            case .refusedRedirect: "A redirect by \(place) was not followed. Check the address."
            case .bodyTooLarge(let limit):
                "The answer of \(place) is larger than the \(limit) bytes allowed. Allow more, or download a large answer to a file."
            case .malformedAnswer:
                "\(place) did not send a valid HTTP answer. Check that its port is that of an HTTP server."
            case .cannotWriteFile:
                "\(url.isEmpty ? "A file" : "The file \(url)") could not be written. Check its folder and the free space."
            case .other(let code): "The request to \(place) failed (error \(code))."
            }
        return detail.isEmpty ? sentence : "\(sentence) (\(detail))"
    }
}

extension StatusFailure: CustomStringConvertible {
    public var description: String {
        let question = request.isEmpty ? "the request" : request
        let text = excerpt(of: body)
        let sentence =
            "The server answered \(question) with \(code) \(HTTPURLResponse.localizedString(forStatusCode: code))."
        return text.isEmpty ? sentence : "\(sentence) It says: \(text)"
    }
}

extension AuthenticationFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missingCredentials(let kind, let reason): "There are no credentials for \(kind): \(reason)"
        case .refreshFailed(let kind, let reason): "The credentials for \(kind) could not be refreshed: \(reason)"
        case .unreachable(let kind, let failure): "The credentials for \(kind) could not be fetched. \(failure)"
        case .rejected(let kind, let failure): "The server refused the credentials for \(kind). \(failure)"
        case .foreignHost(let kind, let host):
            "The credentials for \(kind) are not sent to \(host), because it is not one of the environment's services."
        }
    }
}

/// Returns the beginning of a body on one line, for messages.
func excerpt(of body: Data, limit: Int = 200) -> String {
    let text = String(decoding: body.prefix(limit), as: UTF8.self)
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return body.count > limit ? "\(line) …" : line
}
