import Feedback
import Foundation
import Networking

/// The connection between the demo and its backend: it counts the requests, and can delay them and let them fail.
///
/// A fixed series of numbers decides which requests fail, so that a run can be repeated.
final class Wire: Transport {
    private struct State {
        var requests = 0
        var dice = Dice()
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
            return state.dice.roll() < failRate ? Self.failure(state.dice.roll(), of: request) : nil
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
        let body = Data("The server is having a rest.".utf8)
        return roll < 0.5
            ? .network(NetworkFailure(.connectionLost, url: url))
            : .status(StatusFailure(code: 503, body: body, request: "\(request.method) \(url)"))
    }
}

/// A series of pseudorandom numbers (SplitMix64), which is the same in each run.
private struct Dice {
    private var seed: UInt64 = 3

    /// Returns a number from 0 up to, but not including, 1.
    mutating func roll() -> Double {
        seed &+= 0x9E37_79B9_7F4A_7C15
        var mixed = seed
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((mixed ^ (mixed >> 31)) >> 11) * 0x1p-53
    }
}
