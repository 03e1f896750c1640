import Networking

extension OutboxAnswer {
    /// The answer to a write whose request has failed.
    ///
    /// | failure of the request | answer | may be done |
    /// |---|---|---|
    /// | of the network, before it was sent, or while credentials are fetched | ``unreachable(reason:mayBeDone:)`` | no |
    /// | of the network later, or it was cancelled | ``unreachable(reason:mayBeDone:)`` | yes |
    /// | no credentials; status 401, 407, 421, 425 or 429 | ``busy(reason:after:mayBeDone:)`` | no |
    /// | status 408 or from 500 on; a web page with a status from 200 to 299 | ``busy(reason:after:mayBeDone:)`` | yes |
    /// | none, but the answer cannot be read | ``unconfirmed(reason:)`` | yes |
    /// | all others | ``refused(reason:wasSent:isOfContent:)`` | |
    ///
    /// A status that means a conflict, usually 409 or 412, is among the others: read the object, and answer
    /// ``conflict(_:)``. A resource notices web pages with `refusingWebPages`.
    ///
    /// - Parameters:
    ///   - reason: The server's explanation, if it says more than the error.
    ///   - mayBeDone: `false` if the request has only read, before the write was sent; `true` if it has read after that;
    ///     nil if it was the write.
    public init(_ error: CoreError, reason: String? = nil, mayBeDone: Bool? = nil) {
        let explanation = error.isWebPage ? WebPage.reason : reason ?? "\(error)"
        switch SendingFailure(error) {
        case let .unreachable(mayBe): self = .unreachable(reason: "\(error)", mayBeDone: mayBeDone ?? mayBe)
        case let .busy(after, mayBe): self = .busy(reason: explanation, after: after, mayBeDone: mayBeDone ?? mayBe)
        // The write was not sent, or the server has refused only to show its result.
        case .unclear where mayBeDone == false: self = .refused(reason: explanation)
        case .unclear: self = .unconfirmed(reason: explanation)
        case .refused where mayBeDone == true: self = .unconfirmed(reason: explanation)
        case let .refused(wasSent):
            self = .refused(
                reason: explanation, wasSent: wasSent, isOfContent: mayBeDone == nil && error.isRefusalOfContent)
        }
    }
}
