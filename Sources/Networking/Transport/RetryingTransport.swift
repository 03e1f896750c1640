import Foundation

extension Transport {
    /// Sends requests again that failed for a temporary reason, after a wait, which may be the one that the server asks
    /// for.
    ///
    /// - Parameters:
    ///   - policy: Decides which failures are retried, how often and when. By default, only idempotent methods are.
    ///   - clock: The clock that measures the waits.
    public func retrying(
        _ policy: RetryPolicy = RetryPolicy(), clock: any Clock<Duration> = ContinuousClock()
    ) -> some Transport {
        RetryingTransport(transport: self, policy: policy, clock: clock)
    }
}

private struct RetryingTransport<Wrapped: Transport>: Transport {
    let transport: Wrapped
    let policy: RetryPolicy
    let clock: any Clock<Duration>

    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        var attempts = 0
        while true {
            attempts += 1
            let outcome = await outcome(of: request)
            // The reader would get the same bytes again.
            if case .stream(let body) = request.destination, body.hasBegun { return try outcome.get() }
            let delay = policy.delay(
                afterAttempts: attempts, of: request.method, ending: outcome, now: Date(), chance: .random(in: 0...1))
            guard let delay else { return try outcome.get() }
            do {
                try await clock.sleep(for: min(delay, .year))
            } catch {
                throw .cancelled
            }
        }
    }

    private func outcome(of request: TransportRequest) async -> Result<TransportResponse, CoreError> {
        do throws(CoreError) {
            return .success(try await transport.send(request))
        } catch {
            return .failure(error)
        }
    }
}
