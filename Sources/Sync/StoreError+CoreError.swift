import Networking
import Persistence

extension StoreError {
    /// Makes a remote store's error for a failed request.
    ///
    /// | failure of the request | error |
    /// |---|---|
    /// | of the network, also while credentials are fetched | `unreachable` |
    /// | status 408, 429 or from 500 on, a web page in place of the answer | `unreachable` |
    /// | status 409 | `constraint` |
    /// | it was cancelled | `cancelled` |
    /// | all others | `refused` |
    ///
    /// - Parameter reason: The server's explanation, if it says more than the error.
    public init(_ error: CoreError, reason: String? = nil) {
        let reason = (reason ?? "\(error)").clause
        switch error {
        case let .status(failure) where failure.code == 409: self = .constraint(reason: reason)
        case let .status(failure) where failure.code >= 500 || [408, 429].contains(failure.code):
            self = .unreachable(reason: reason)
        case .network, .authentication(.unreachable): self = .unreachable(reason: reason)
        case _ where error.isWebPage: self = .unreachable(reason: WebPage.reason)
        case .cancelled: self = .cancelled
        case .status, .request, .encoding, .parsing, .authentication: self = .refused(reason: reason)
        }
    }
}

extension String {
    /// A sentence without its full stop, as a part of another sentence.
    var clause: String { hasSuffix(".") ? String(dropLast()) : self }
}
