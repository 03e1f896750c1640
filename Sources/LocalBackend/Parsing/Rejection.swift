/// The reason why bytes are not a request that can be served. The connection is closed after one of these.
enum Rejection: Error, Equatable, CaseIterable {
    case malformedRequestLine, malformedTarget, targetTooLong, unsupportedVersion, unsupportedMethod
    case malformedLineEnd, malformedHeader, foldedHeader, headersTooLarge
    case malformedHost, malformedContentLength, conflictingFraming
    case malformedTransferEncoding, unsupportedTransferEncoding, malformedChunk, bodyTooLarge
    case unsupportedExpectation, timedOut

    var status: Int {
        switch self {
        case .malformedRequestLine, .malformedTarget, .malformedLineEnd, .malformedHeader, .foldedHeader,
            .malformedHost, .malformedContentLength, .conflictingFraming, .malformedTransferEncoding, .malformedChunk:
            400
        case .timedOut: 408
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .unsupportedExpectation: 417
        case .headersTooLarge: 431
        case .unsupportedMethod, .unsupportedTransferEncoding: 501
        case .unsupportedVersion: 505
        }
    }

    var reason: String {
        switch self {
        case .malformedRequestLine: "The request does not start with a line like GET /path HTTP/1.1."
        case .malformedTarget: "The request target is not a percent-encoded path and query."
        case .targetTooLong: "The request line is longer than this server reads."
        case .unsupportedVersion: "This server speaks HTTP/1.1 and HTTP/1.0."
        case .unsupportedMethod: "This server is not a proxy, so it does not answer CONNECT."
        case .malformedLineEnd: "A line does not end in CR LF."
        case .malformedHeader: "A header line is not of the form Name: value."
        case .foldedHeader: "A header continues on a second line, which HTTP no longer allows."
        case .headersTooLarge: "The headers are larger than this server reads."
        case .malformedHost: "An HTTP/1.1 request needs one valid Host header."
        case .malformedContentLength: "Content-Length is not one number."
        case .conflictingFraming: "Content-Length and Transfer-Encoding exclude each other."
        case .malformedTransferEncoding: "Transfer-Encoding does not end in chunked, or is used in HTTP/1.0."
        case .unsupportedTransferEncoding: "This server reads only the transfer coding chunked."
        case .malformedChunk: "The chunked body is malformed."
        case .bodyTooLarge: "The body is larger than this server reads."
        case .unsupportedExpectation: "This server meets only the expectation 100-continue."
        case .timedOut: "The request did not arrive in time."
        }
    }
}
