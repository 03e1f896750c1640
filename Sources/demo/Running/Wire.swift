import Feedback
import Foundation
import LocalBackend
import Networking

/// The connection between the demo and its backend: it counts the requests, and can delay them and let them fail.
///
/// A fixed series of numbers decides which requests fail, so that a run can be repeated.
final class Wire: Transport {
    private struct State {
        var requests = 0
        var random = SeededNumbers(seed: 3)
    }

    private let transport: any Transport
    private let failRate: Double
    private let latency: Duration
    private let state = Locked(State())

    init(_ transport: any Transport, failRate: Double, latency: Duration) {
        self.transport = transport
        self.failRate = failRate
        self.latency = latency
    }

    var requests: Int { state.withLock(\.requests) }

    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        let failure: CoreError? = state.withLock { state in
            state.requests += 1
            return state.random.fraction() < failRate ? Self.failure(state.random.fraction(), of: request) : nil
        }
        if latency > .zero {
            do { try await Task.sleep(for: latency) } catch { throw .cancelled }
        }
        if let failure { throw failure }
        return try await transport.send(request)
    }

    private static func failure(_ roll: Double, of request: TransportRequest) -> CoreError {
        let port = request.url.port.map { ":\($0)" } ?? ""
        let url = "\(request.url.host() ?? "")\(port)\(request.url.path())"
        let reason = "The demo let this request fail, as --fail asks it to."
        return roll < 0.5
            ? .network(NetworkFailure(.connectionLost, url: url, detail: reason))
            : .status(StatusFailure(code: 503, body: Data(reason.utf8), request: "\(request.method) \(url)"))
    }
}
