import Networking

/// The meaning of a failed request for an outbox.
enum SendingFailure: Equatable, Sendable {
    /// Another attempt would fail, too.
    ///
    /// - Parameter wasSent: `false` if there was no request.
    case refused(wasSent: Bool)
    /// The server was reached, and another attempt may succeed.
    ///
    /// - Parameters:
    ///   - after: The time after which the server wants to be asked again; nil if it does not say.
    ///   - mayBeDone: `false` if the server has turned the request away before it looked at it.
    case busy(after: Duration?, mayBeDone: Bool)
    case unreachable(mayBeDone: Bool)
    /// The server has answered without an error, and its answer cannot be read.
    case unclear

    init(_ error: CoreError) {
        switch error {
        case let .network(failure): self = .unreachable(mayBeDone: !failure.isBeforeSending)
        case .cancelled: self = .unreachable(mayBeDone: true)
        case .authentication(.unreachable): self = .unreachable(mayBeDone: false)
        // The credentials may be renewed before the next attempt.
        case .authentication: self = .busy(after: nil, mayBeDone: false)
        // The request may have come as far as the server behind the page.
        case _ where error.isWebPage: self = .busy(after: nil, mayBeDone: true)
        case let .status(failure):
            self =
                StatusFailure.isTemporary(failure.code)
                ? .busy(after: failure.retryAfter(), mayBeDone: !StatusFailure.isTurnedAway(failure.code))
                : .refused(wasSent: true)
        case .parsing: self = .unclear
        case .request, .encoding: self = .refused(wasSent: false)
        }
    }
}

extension StatusFailure {
    /// `true` if a server that answers with this status may do later what it has not done now.
    static func isTemporary(_ code: Int) -> Bool { code >= 500 || code == 408 || isTurnedAway(code) }

    /// `true` if the server, or a proxy, has not looked at the request: it wants credentials (401, 407) or another
    /// connection (421), or asks to come again later (425, 429).
    fileprivate static func isTurnedAway(_ code: Int) -> Bool { [401, 407, 421, 425, 429].contains(code) }
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
