#if canImport(CCurl)
/// A short wait of a caller's own thread for the answer to its request.
///
/// A nearby server often answers before the engine's thread would have woken, and the caller's thread after it. While a
/// caller's thread looks, the engine's thread does not watch the sockets of its request: they are kept here. The look ends
/// with the answer, when another request begins, or after a moment.
///
/// It is a value without locks or system calls.
struct CurlLook {
    /// The end of a look.
    enum End {
        /// The request has ended.
        case answered
        /// Nothing came in time.
        case late
        /// Another request has begun.
        case overtaken
    }

    /// The longest time that a thread looks. Threads of tasks must not be held for longer.
    static let moment = Duration.microseconds(100)
    /// The greatest number of requests for which no thread looks after late answers.
    static let longestPause = 15
    /// The greatest number of answers in a row for which callers look. A task whose request is answered meanwhile keeps its
    /// thread, on which other tasks may wait.
    static let longestRow = 50

    /// The request for whose answer its caller looks.
    private(set) var transfer: CurlTransfer?
    private var interests: [SocketPoll.Interest] = []
    /// The number of requests for which no thread looks, and of those after the next late answer.
    private var (requestsToSkip, nextPause) = (0, 1)
    /// The number of answers in time since the last request without a look.
    private var row = 0

    /// Begins a look, unless the last answers were late.
    mutating func begin(for transfer: CurlTransfer) {
        if row == CurlLook.longestRow { requestsToSkip = 1 }
        if requestsToSkip == 0 {
            self.transfer = transfer
        } else {
            (requestsToSkip, row) = (requestsToSkip - 1, 0)
        }
    }

    /// Keeps what the request waits for, in place of what is kept for the same socket.
    mutating func keep(_ interest: SocketPoll.Interest) {
        forget(interest.socket)
        interests.append(interest)
    }

    /// Returns false if nothing is kept for the socket.
    @discardableResult
    mutating func forget(_ socket: Int32) -> Bool {
        guard let index = interests.firstIndex(where: { $0.socket == socket }) else { return false }
        interests.remove(at: index)
        return true
    }

    /// The socket that the thread waits for; `nil` if there is none, or more than one.
    var interest: SocketPoll.Interest? { interests.count == 1 ? interests[0] : nil }

    /// Ends the look, and returns what the engine's thread has to watch from now on.
    mutating func end(_ end: End) -> [SocketPoll.Interest] {
        switch end {
        case .answered: (row, nextPause) = (row + 1, 1)
        case .late: (requestsToSkip, nextPause) = (nextPause, min(2 * nextPause + 1, CurlLook.longestPause))
        case .overtaken: break
        }
        transfer = nil
        defer { interests.removeAll(keepingCapacity: true) }
        return interests
    }
}
#endif
