#if canImport(CCurl)
import CCurl
import Foundation

extension NetworkFailure {
    /// The failure that libcurl reports.
    ///
    /// - Parameters:
    ///   - systemError: The `errno` of the last failed connection; 0 for none.
    ///   - detail: libcurl's own sentence.
    init(_ code: CURLcode, systemError: Int32, detail: String, url: URL) {
        self.init(Reason(code, systemError: systemError, detail: detail), url: url.redacted)
        if case .other = reason { self.detail = detail }
    }
}

extension NetworkFailure.Reason {
    fileprivate init(_ code: CURLcode, systemError: Int32, detail: String) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .cannotFindHost
        case CURLE_COULDNT_CONNECT:
            self = systemError == ENETUNREACH || systemError == ENETDOWN ? .offline : .cannotConnect
        case CURLE_PROXY: self = .cannotConnect
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_USE_SSL_FAILED, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
            self = .insecureConnection
        case CURLE_RECV_ERROR where detail.contains("chunk"),
            CURLE_BAD_FUNCTION_ARGUMENT where detail.contains("chunk"):
            self = .malformedAnswer
        case CURLcode(rawValue: 100): self = .malformedAnswer  // A head beyond libcurl's limit, since version 8.6.
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2,
            CURLE_HTTP2_STREAM, CURLE_SEND_FAIL_REWIND:
            self = .connectionLost
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR,
            CURLE_FILESIZE_EXCEEDED:
            self = .malformedAnswer
        default: self = .other(code: Int(code.rawValue))
        }
    }
}
#endif
