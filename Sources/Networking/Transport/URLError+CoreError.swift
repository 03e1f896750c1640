import Foundation

extension CoreError {
    /// Makes the error that corresponds to an error of `URLSession`.
    init(_ error: any Error, url: URL) {
        guard let error = error as? URLError else {
            self = .network(NetworkFailure(.other(code: 0), url: url.redacted, detail: "\(error)"))
            return
        }
        if error.code == .cancelled {
            self = .cancelled
        } else if let failure = NetworkFailure(error, url: url) {
            self = .network(failure)
        } else {
            let detail = error.localizedDescription
            self = .network(NetworkFailure(.other(code: error.code.rawValue), url: url.redacted, detail: detail))
        }
    }
}

extension NetworkFailure {
    /// Makes the failure that an error of `URLSession` stands for; `nil` if its code is of no known kind.
    init?(_ error: URLError, url: URL?) {
        guard let reason = error.explainedReason ?? error.reason else { return nil }
        self.init(reason, url: url?.redacted ?? "")
    }
}

extension URLError {
    fileprivate var reason: NetworkFailure.Reason? {
        switch code {
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff: .offline
        case .cannotFindHost, .dnsLookupFailed: .cannotFindHost
        case .cannotConnectToHost: .cannotConnect
        case .networkConnectionLost: .connectionLost
        case .timedOut: .timedOut
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid, .serverCertificateUntrusted, .clientCertificateRejected,
            .clientCertificateRequired:
            .insecureConnection
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData: .malformedAnswer
        default: nil
        }
    }

    /// The reason according to libcurl's text: on Linux, most codes are "unknown" and some are misleading.
    fileprivate var explainedReason: NetworkFailure.Reason? {
        #if canImport(FoundationNetworking)
        guard [.unknown, .unsupportedURL, .badServerResponse].contains(code) else { return nil }
        let sentence = localizedDescription.lowercased()
        let words: [(NetworkFailure.Reason, [String])] = [
            (.cannotConnect, ["failed to connect", "couldn't connect", "could not connect"]),
            (.insecureConnection, ["ssl", "tls", "certificate"]),
            (
                .connectionLost,
                ["transfer closed", "empty reply", "recv failure", "send failure", "receiving data", "sending data"]
            ),
            (
                .malformedAnswer,
                ["http/0.9", "unsupported http", "response code", "header", "chunk", "content-length", "encoding"]
            ),
        ]
        return words.first { _, words in words.contains { sentence.contains($0) } }?.0
        #else
        return nil
        #endif
    }
}
