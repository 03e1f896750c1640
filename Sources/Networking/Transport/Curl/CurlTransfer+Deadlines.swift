#if canImport(CCurl)
import Foundation

extension CurlTransfer {
    /// The time at which the transfer is late: the server has been silent, or all of it takes too long.
    var deadline: ContinuousClock.Instant {
        // The server is not considered silent while the request's own body has nothing to send, or the answer's reader is
        // slow.
        let isOurTurn = isPaused || upload?.isWaiting == true && !isRefused
        let start = isOurTurn ? ContinuousClock.now : lastActivity
        // libcurl watches a `connectTimeout` that is shorter.
        let limit = isSent ? request.timeout : max(request.timeout, request.connectTimeout ?? .zero)
        let silence = start + limit.clamped
        return wholeDeadline.map { min($0, silence) } ?? silence
    }

    /// The time at which to look at the deadline again, since sending the request can bring it nearer.
    var nextLook: ContinuousClock.Instant { isSent ? deadline : min(deadline, .now + request.timeout.clamped) }
}
#endif
