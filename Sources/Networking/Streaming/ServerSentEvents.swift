import Feedback
import Foundation

/// The events of a `text/event-stream`, while they arrive; if the connection ends, it is made again.
///
/// ```swift
/// for try await event in session.events(PricesService.watchPrices()) { print(event.data) }
/// let prices = session.events(PricesService.watchPrices()).producer.attemptMap { $0.decoded(as: Price.self) }
/// ```
///
/// Each iteration sends a request of its own. The request of a reconnection has the last id in `Last-Event-ID`, also after
/// a redirect to another server, as in browsers. It is sent after the time that the server has said (`retry`, or `Retry-After`
/// with a status such as 503) at the earliest, and later after further failures; a connection that has brought a line, such
/// as a comment, is none. The iteration ends with a 204, and fails with an error that another try cannot mend, such as a 403
/// or another type than `text/event-stream`. A request that must not be repeated, such as a POST, is sent once.
///
/// All connections of an iteration are for one user, if the credentials name theirs: after another one has signed in, it
/// fails with ``AuthenticationFailure/missingCredentials(kind:reason:)``.
///
/// A server that sends neither events nor comments within the `timeout` counts as disconnected. So does one that takes longer
/// than a `totalTimeout`, so set none for event streams.
public struct ServerSentEvents: AsyncSequence, Sendable {
    public typealias Element = ServerSentEvent
    public typealias Failure = CoreError

    let method: HTTPMethod
    let policy: RetryPolicy
    let clock: any Clock<Duration>
    let lastID: String
    /// Opens a connection, with the last id.
    let open: @Sendable (String) -> ByteStream

    /// The events as a producer, which sends a request at each start. Disposing it closes the connection.
    public var producer: SignalProducer<ServerSentEvent, CoreError> { SignalProducer(self) }

    public func makeAsyncIterator() -> Iterator { Iterator(events: self, parser: EventParser(lastID: lastID)) }

    /// An iterator over the events, for one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let events: ServerSentEvents
        var parser: EventParser
        private var lines: StreamedLines.Iterator?
        /// The number of connections that ended since the last line.
        private var failures = 0
        private var isOver = false
        private let user = StreamUser()

        init(events: ServerSentEvents, parser: EventParser) { (self.events, self.parser) = (events, parser) }

        public mutating func next() async throws(CoreError) -> ServerSentEvent? { try await next(isolation: nil) }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(CoreError) -> ServerSentEvent? {
            while !isOver {
                var end: CoreError?
                do throws(CoreError) {
                    if let event = try await receive(isolation: actor) { return event }
                } catch {
                    end = error
                }
                let isFinal = [204, 205].contains(lines?.bytes.transfer.status)
                lines = nil
                failures += 1
                guard !isFinal, let delay = events.delay(after: end, failures: failures, retry: parser.retry) else {
                    isOver = true
                    if let end { throw end }
                    break
                }
                do {
                    try await events.clock.sleep(for: delay)
                } catch {
                    isOver = true
                    throw .cancelled
                }
            }
            return nil
        }

        /// Returns `nil` at the end of the connection.
        private mutating func receive(
            isolation actor: isolated (any Actor)?
        ) async throws(CoreError) -> ServerSentEvent? {
            if lines == nil {
                parser = EventParser(lastID: parser.lastID, retry: parser.retry)
                var bytes = events.open(parser.lastID)
                bytes.user = user
                // A line without an end was cut, and so may be what it says.
                lines = StreamedLines(bytes: bytes, limit: EventParser.limit, includesRest: false).makeAsyncIterator()
            }
            while let line = try await lines?.next(isolation: actor) {
                // Whatever it is: a server that has nothing to tell sends comments.
                failures = 0
                if let event = try parser.receive(line) { return event }
            }
            return nil
        }
    }

    /// Returns the time to wait before the next connection; `nil` if there is to be none.
    private func delay(after error: CoreError?, failures: Int, retry: Duration?) -> Duration? {
        var policy = policy
        // Less would let a server that is down get one request after the other.
        var shortest = retry.map { Swift.max($0, .milliseconds(100)) } ?? .zero
        if retry != nil { policy.firstDelay = shortest }
        // However long it is, the stream goes on after it.
        if case .status(let failure) = error { shortest = Swift.max(shortest, failure.retryAfter() ?? .zero) }
        let delay = policy.delay(
            afterAttempts: failures, of: method, ending: outcome(error), now: Date(), chance: .random(in: 0...1))
        return delay.map { Swift.min(Swift.max($0, shortest), .year) }
    }

    private func outcome(_ error: CoreError?) -> Result<TransportResponse, CoreError> {
        guard case .status(let failure) = error, let url = URL(string: "http://localhost") else {
            return .failure(error ?? .network(NetworkFailure(.connectionLost)))
        }
        do throws(CoreError) {
            return .success(try TransportResponse(status: failure.code, url: url))
        } catch {
            return .failure(error)
        }
    }
}

extension RetryPolicy {
    /// Reconnects to an event stream again and again: after 3 seconds at first and after 30 seconds at most, or after the
    /// time that the server has said.
    public static let eventStream = RetryPolicy(maximumAttempts: .max, firstDelay: .seconds(3))
}

extension BackendSession {
    /// Returns the events of a resource's answer, which is an event stream.
    ///
    /// - Parameters:
    ///   - lastEventID: The id of the last event that the caller has, to go on after it.
    ///   - reconnecting: Decides after which failures, how often and when the connection is made again.
    ///   - clock: The clock that measures the waits.
    public func events<Request: Sendable, Auth: Authentication>(
        _ resource: BackendResource<Request, Void, Auth>, with request: Request, after lastEventID: String = "",
        reconnecting: RetryPolicy = .eventStream, clock: any Clock<Duration> = ContinuousClock()
    ) -> ServerSentEvents {
        ServerSentEvents(method: resource.method, policy: reconnecting, clock: clock, lastID: lastEventID) { id in
            var resource = resource
            for (name, value) in [("Accept", "text/event-stream"), ("Cache-Control", "no-store")]
            where resource.headers[name] == nil {
                resource.headers[name] = value
            }
            if !id.isEmpty { resource.headers["Last-Event-ID"] = id }
            var bytes = stream(resource, with: request)
            bytes.contentType = "text/event-stream"
            return bytes
        }
    }

    /// Returns the events of a resource's answer, which is an event stream.
    ///
    /// - Parameters:
    ///   - lastEventID: The id of the last event that the caller has, to go on after it.
    ///   - reconnecting: Decides after which failures, how often and when the connection is made again.
    ///   - clock: The clock that measures the waits.
    public func events<Auth: Authentication>(
        _ resource: BackendResource<Void, Void, Auth>, after lastEventID: String = "",
        reconnecting: RetryPolicy = .eventStream, clock: any Clock<Duration> = ContinuousClock()
    ) -> ServerSentEvents {
        events(resource, with: (), after: lastEventID, reconnecting: reconnecting, clock: clock)
    }
}
