import Networking

/// The meaning of a failed request for an outbox.
enum SendingFailure: Equatable, Sendable {
    /// Another attempt would fail, too.
    case refused
    /// The server was reached, and another attempt may succeed.
    ///
    /// - Parameter after: The time after which the server wants to be asked again; nil if it does not say.
    case busy(after: Duration?)
    case unreachable(mayBeDone: Bool)

    init(_ error: CoreError) {
        switch error {
        case let .network(failure): self = .unreachable(mayBeDone: !failure.isBeforeSending)
        case .cancelled: self = .unreachable(mayBeDone: true)
        // The credentials may be renewed before the next attempt.
        case .authentication: self = .busy(after: nil)
        case let .status(failure): self = failure.isTemporary ? .busy(after: failure.retryAfter()) : .refused
        case .request, .encoding, .parsing: self = .refused
        }
    }
}

extension StatusFailure {
    fileprivate var isTemporary: Bool { code >= 500 || [401, 408, 425, 429].contains(code) }
}

extension NetworkFailure {
    /// `true` if the request certainly never left this machine.
    fileprivate var isBeforeSending: Bool {
        switch reason {
        case .offline, .cannotFindHost, .cannotConnect: true
        default: false
        }
    }
}
