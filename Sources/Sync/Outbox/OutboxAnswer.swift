import Persistence

/// The answer of a server to a write.
public enum OutboxAnswer<Object: Sendable>: Sendable {
    /// The write is done. The value is the server's object as the write has left it; nil if it was deleted.
    ///
    /// If the object is read later, with another request, others may have changed it meanwhile. If it differs from what
    /// the write has made, the answer is ``conflict(_:)`` with the object as it is now.
    case accepted(Object?)
    /// The write is done, and this version of the program cannot read the server's object. Screens show the object as the
    /// write has made it, and it is among the ``SyncedStore/unreadable`` ones.
    ///
    /// - Parameters:
    ///   - values: The values of the object's columns, in the order of the schema; nil for those that cannot be read. The
    ///     next write to it that waits is based on them. Empty if they are not known.
    ///   - isResult: `false` if the object was read later, with another request, so that others may have changed it meanwhile.
    case acceptedUnreadable(UnreadableObject, values: [PrimitiveValue?] = [], isResult: Bool = true)
    /// The server has answered without an error, and neither the answer nor a later one shows that the write is done, or
    /// that it is not.
    case unconfirmed(reason: String)
    /// The server's object is not the one on which the write was based, and nothing was changed; or the write is done,
    /// and the object was changed again before it was read. The value is the server's object.
    case conflict(Object?)
    /// The server refuses the write, and would refuse it again.
    ///
    /// - Parameters:
    ///   - wasSent: `false` if there was no request, since none can be made of the write.
    ///   - isOfContent: `true` if the server does not accept what the write says, as with the status 400 or 422, and not
    ///     who sends it or when. A server that remembers keys has then done no earlier attempt, and remembers the refusal.
    case refused(reason: String, wasSent: Bool = true, isOfContent: Bool = false)
    /// The server was reached, but cannot do the write at the moment.
    ///
    /// - Parameters:
    ///   - after: The time after which it wants to be asked again; nil if it does not say.
    ///   - mayBeDone: `false` if this request was certainly not done.
    case busy(reason: String, after: Duration? = nil, mayBeDone: Bool = true)
    /// The server was not reached, or its answer was lost.
    ///
    /// - Parameter mayBeDone: `true` if the request may have reached the server.
    case unreachable(reason: String, mayBeDone: Bool = true)
}
