extension LocalBackend {
    /// A fault between a server and its client, caused on purpose.
    ///
    ///     backend.misbehave(.delay(.milliseconds(200)), .fail(rate: 0.1))
    ///     backend.misbehave(.reset(after: 10), at: "/v1/cities", times: 1)
    ///
    /// Byte counts are of the body. If the body ends before the count is reached, a `Content-Length` beyond its end is
    /// sent, so that the client still gets an incomplete answer.
    public enum Misbehaviour: Sendable, Hashable {
        /// Waits before the answer. Several delays add up.
        case delay(Duration)
        /// Answers this share of the requests, from 0 to 1, with a status instead. The seed determines which ones.
        case fail(rate: Double, status: Int = 503, seed: UInt64 = 0)
        /// Closes the connection without an answer; the handler does not run.
        case drop
        /// Resets the connection after some bytes of the body.
        case reset(after: Int = 1)
        /// Closes the connection without a reset after some bytes of the body, although more were announced. A streamed body to
        /// a client of HTTP/1.0 cannot be announced, and is reset.
        case truncate(after: Int = 1)
        /// Sends some bytes of the body and then nothing, until the client gives up or the server stops.
        case stall(after: Int = 1)
    }
}

/// The way in which a connection mishandles one answer.
enum Fault: Sendable, Equatable {
    case drop
    case reset(after: Int)
    case truncate(after: Int)
    case stall(after: Int)

    /// The number of bytes of the body that may go out before it.
    var allowance: Int? {
        switch self {
        case .drop: nil
        case .reset(let count), .truncate(let count), .stall(let count): count
        }
    }
}
