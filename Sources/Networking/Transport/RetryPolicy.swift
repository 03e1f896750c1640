import Foundation

/// Decides which failures are tried again, how often and when.
public struct RetryPolicy: Sendable {
    /// The greatest number of times that a request is sent, including the first time.
    public var maximumAttempts: Int
    /// The wait after the first failure; each further one doubles it.
    public var firstDelay: Duration
    /// The longest wait. If a server asks for a longer one with `Retry-After`, the request is not sent again; only
    /// ``ServerSentEvents`` wait for as long as the server asks.
    public var maximumDelay: Duration
    /// The random part of each wait, from 0 to 1, so that many clients do not return at the same moment.
    public var jitter: Double
    /// Returns true for methods that may be sent again; by default, for idempotent ones.
    public var allows: @Sendable (HTTPMethod) -> Bool
    /// The statuses that are temporary, so that a retry makes sense.
    public var statuses: Set<Int>

    /// Makes a policy; by default, idempotent requests are sent up to three times.
    public init(
        maximumAttempts: Int = 3, firstDelay: Duration = .milliseconds(200), maximumDelay: Duration = .seconds(30),
        jitter: Double = 0.5, statuses: Set<Int> = [408, 429, 502, 503, 504],
        allows: @escaping @Sendable (HTTPMethod) -> Bool = \.isIdempotent
    ) {
        self.maximumAttempts = maximumAttempts
        self.firstDelay = firstDelay
        self.maximumDelay = maximumDelay
        self.jitter = jitter
        self.statuses = statuses
        self.allows = allows
    }

    /// Returns the time to wait before the next attempt; `nil` if there is to be none.
    ///
    /// - Parameters:
    ///   - attempts: The number of times that the request was sent.
    ///   - chance: A number from 0 to 1.
    func delay(
        afterAttempts attempts: Int, of method: HTTPMethod, ending outcome: Result<TransportResponse, CoreError>,
        now: Date, chance: Double
    ) -> Duration? {
        guard attempts < maximumAttempts, allows(method), isTransient(outcome) else { return nil }
        let delay = backoff(afterAttempts: attempts) * (1 - max(0, min(1, jitter)) * chance)
        guard case .success(let response) = outcome, let wanted = RetryAfter(response.header("Retry-After"), now: now)
        else { return delay }
        return wanted.delay <= maximumDelay ? max(wanted.delay, delay) : nil
    }

    /// Returns the first wait, doubled for each further attempt, up to the longest one.
    private func backoff(afterAttempts attempts: Int) -> Duration {
        // Durations have an end, which a product of many doublings would pass.
        let longest = min(maximumDelay, .year)
        var (delay, doublings) = (max(.zero, min(firstDelay, longest)), attempts - 1)
        while doublings > 0, delay > .zero, delay < longest {
            delay = min(delay * 2, longest)
            doublings -= 1
        }
        return delay
    }

    private func isTransient(_ outcome: Result<TransportResponse, CoreError>) -> Bool {
        switch outcome {
        case .success(let response): return statuses.contains(response.status)
        case .failure(let error):
            switch error.networkFailure?.reason {
            case .offline, .cannotFindHost, .cannotConnect, .connectionLost, .timedOut: return true
            default: return false
            }
        }
    }
}

extension StatusFailure {
    /// Returns the time that the server asks to wait, from `Retry-After`; `nil` if it does not ask.
    package func retryAfter(at now: Date = Date()) -> Duration? { RetryAfter(headers["Retry-After"], now: now)?.delay }
}

/// The wait that a server asks for with `Retry-After`, in seconds or as a date.
struct RetryAfter: Equatable {
    let delay: Duration

    init?(_ field: String?, now: Date) {
        guard let field = field?.trimmingCharacters(in: .whitespaces), !field.isEmpty else { return nil }
        if field.allSatisfy({ $0.isASCII && $0.isNumber }) {
            // More digits than an `Int` holds count as a very long wait.
            delay = .seconds(min(Int(field) ?? .max, 1 << 40))
        } else if let date = HTTPDate.date(from: field, now: now) {
            delay = .seconds(max(0, date.timeIntervalSince(now)))
        } else {
            return nil
        }
    }
}
