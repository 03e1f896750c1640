/// A queue that sends requests about the same thing one after the other, in the order in which they were started, so
/// that the last one wins on the server, too. Requests about different things are sent at the same time.
///
/// ```swift
/// private let renames = RequestQueue<Account.ID>()
///
/// func rename(_ id: Account.ID, to name: String) -> SignalProducer<Account, ApiError> {
///     renames.perform(api.rename(id, to: name), about: id)
/// }
/// ```
///
/// A request that waits is not sent if its producer is disposed of. With
/// ``SignalProducer/continuingAfterDisposal()`` behind the queue, it is sent nevertheless.
public final class RequestQueue<Key: Hashable & Sendable>: Sendable {
    private typealias Turn = @Sendable () -> Void

    /// The requests that wait for the one under way, by the thing that they are about.
    private let waiting = Locked<[Key: [Turn]]>([:])

    public init() {}

    /// Returns a producer that starts the request when all earlier requests about the same thing have ended.
    public func perform<Value, Failure>(
        _ request: SignalProducer<Value, Failure>, about key: Key
    ) -> SignalProducer<Value, Failure> {
        SignalProducer { [self] observer, lifetime in
            let turn: Turn = { [self] in
                guard !lifetime.hasEnded else { return leave(key) }
                lifetime += request.start { [self] event in
                    observer.send(event)
                    if event.isTerminating { leave(key) }
                }
            }
            let isFirst = waiting.withLock { waiting in
                guard waiting[key] == nil else {
                    waiting[key]?.append(turn)
                    return false
                }
                waiting[key] = []
                return true
            }
            if isFirst { turn() }
        }
    }

    private func leave(_ key: Key) {
        let next = waiting.withLock { waiting -> Turn? in
            guard var turns = waiting[key], !turns.isEmpty else {
                waiting[key] = nil
                return nil
            }
            let next = turns.removeFirst()
            waiting[key] = turns
            return next
        }
        next?()
    }
}
