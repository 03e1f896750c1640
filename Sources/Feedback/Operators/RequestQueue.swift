/// A queue that sends requests about the same thing one after the other, in the order in which they were started, so
/// that the last one wins on the server, too. Requests about different things are sent at the same time.
///
/// ```swift
/// let saves = RequestQueue<City.ID>()
///
/// func save(_ draft: Draft, of id: City.ID) -> SignalProducer<Receipt, ApiError> {
///     saves.perform(api.save(draft), about: id)
/// }
/// ```
///
/// A request that waits is not sent if its producer is disposed of. With
/// ``SignalProducer/continuingAfterDisposal()`` behind the queue, it is sent nevertheless.
public final class RequestQueue<Key: Hashable & Sendable>: Sendable {
    private struct Line: Sendable {
        var turns = Queue<@Sendable () -> Void>()
        /// True while a request is under way.
        var isBusy = false
        /// True while a thread goes through the turns, so that requests that end at once do not recurse.
        var isDraining = false
    }

    /// The requests that wait, by the thing that they are about.
    private let lines = Locked<[Key: Line]>([:])

    /// An empty queue.
    public init() {}

    /// Returns a producer that starts the request when all earlier requests about the same thing have ended. A key that does
    /// not equal itself, such as NaN, is never the same.
    public func perform<Value, Failure>(
        _ request: SignalProducer<Value, Failure>, about key: Key
    ) -> SignalProducer<Value, Failure> {
        // Its line would not be found again.
        guard key == key else { return request }
        return SignalProducer { [self] observer, lifetime in
            lines.withLock { lines in
                lines[key, default: Line()].turns.append { [self] in
                    guard !lifetime.hasEnded else { return leave(key) }
                    let scope = CompositeDisposable()
                    lifetime += scope
                    let part = observer.onFinish { [self] (end: Termination<Failure>) in
                        observer.finish(end)
                        scope.dispose()
                        leave(key)
                    }
                    request.start(part, in: scope)
                }
            }
            drain(key)
        }
    }

    private func leave(_ key: Key) {
        let isDraining = lines.withLock { lines in
            lines[key]?.isBusy = false
            return lines[key]?.isDraining ?? true
        }
        if !isDraining { drain(key) }
    }

    private func drain(_ key: Key) {
        let isMine = lines.withLock { lines in
            guard let line = lines[key], !line.isDraining else { return false }
            lines[key]?.isDraining = true
            return true
        }
        guard isMine else { return }
        while let turn = nextTurn(key) { turn() }
    }

    private func nextTurn(_ key: Key) -> (@Sendable () -> Void)? {
        lines.withLock { lines in
            if lines[key]?.isBusy == true {
                lines[key]?.isDraining = false
                return nil
            }
            guard let turn = lines[key]?.turns.popFirst() else {
                lines[key] = nil
                return nil
            }
            lines[key]?.isBusy = true
            return turn
        }
    }
}
