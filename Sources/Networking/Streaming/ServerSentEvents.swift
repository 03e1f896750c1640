import Feedback
import Foundation

/// The events of a `text/event-stream`, while they arrive; if the connection ends, it is made again.
///
/// ```swift
/// for try await event in session.events(PricesService.watchPrices()) { print(event.data) }
/// let prices = session.events(PricesService.watchPrices()).producer.attemptMap { $0.decoded(as: Price.self) }
/// ```
///
/// Each iteration sends a request of its own. The request of a reconnection has the last id in `Last-Event-ID`, and is sent
/// after the time that the server has said (`retry`), doubled for each further failure. It ends with a 204, and fails with
/// an error that another try cannot mend, such as a 403 or another type than `text/event-stream`. A request that must not
/// be repeated, such as a POST, is sent once.
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
        /// The number of connections that ended since the last event.
        private var failures = 0
        private var isOver = false

        init(events: ServerSentEvents, parser: EventParser) { (self.events, self.parser) = (events, parser) }

        public mutating func next() async throws(CoreError) -> ServerSentEvent? { try await next(isolation: nil) }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(CoreError) -> ServerSentEvent? {
            while !isOver {
                var end: CoreError?
                do throws(CoreError) {
                    if let event = try await receive(isolation: actor) {
                        failures = 0
                        return event
                    }
                } catch {
                    end = error
                }
                let isFinal = lines?.bytes.transfer.status == 204
                lines = nil
                failures += 1
                guard !isFinal, let delay = events.delay(after: end, failures: failures, retry: parser.retry) else {
                    isOver = true
                    if let end { throw end }
                    break
                }
                do { try await events.clock.sleep(for: delay) } catch { throw .cancelled }
            }
            return nil
        }

        /// Returns `nil` at the end of the connection.
        private mutating func receive(
            isolation actor: isolated (any Actor)?
        ) async throws(CoreError) -> ServerSentEvent? {
            if lines == nil {
                parser = EventParser(lastID: parser.lastID, retry: parser.retry)
                lines = events.open(parser.lastID).lines(limit: EventParser.limit).makeAsyncIterator()
            }
            while let line = try await lines?.next(isolation: actor) {
                if let event = try parser.receive(line) { return event }
            }
            return nil
        }
    }

    /// Returns the time to wait before the next connection; `nil` if there is to be none.
    private func delay(after error: CoreError?, failures: Int, retry: Duration?) -> Duration? {
        var policy = policy
        // Less would let a server that is down get one request after the other.
        if let retry { policy.firstDelay = Swift.max(retry, .milliseconds(100)) }
        return policy.delay(
            afterAttempts: failures, of: method, ending: outcome(error), now: Date(), chance: .random(in: 0...1))
    }

    private func outcome(_ error: CoreError?) -> Result<TransportResponse, CoreError> {
        guard case .status(let failure) = error, let url = URL(string: "http://localhost") else {
            return .failure(error ?? .network(NetworkFailure(.connectionLost)))
        }
        do throws(CoreError) {
            return .success(try TransportResponse(status: failure.code, headers: failure.headers, url: url))
        } catch {
            return .failure(error)
        }
    }
}

extension RetryPolicy {
    /// Reconnects to an event stream again and again, after 3 seconds at first, or after the time that the server has said,
    /// and after 30 seconds at most.
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
