import Feedback
import Foundation
import Networking

/// The rows on the cache of answers.
let cachingBenchmarks: [Benchmark] = [
    Benchmark(
        "new answer for a full cache of 15,000 answers", per: "answer", operations: 2_000, goal: .ratio(1.5),
        baseline: ("a cache with room", { try await roomyClient.fetch(2_000) })
    ) {
        try await fullClient.value.fetch(2_000)
    }
]

/// Answers at once, without a network.
private struct InstantServer: Transport {
    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        try TransportResponse(status: 200, headers: ["Cache-Control": "max-age=3600"], url: request.url)
    }
}

/// Fetches another resource each time.
private final class Client: Sendable {
    private let transport: any Transport
    private let number = Locked(1_000_000)

    init(capacity: Int) { transport = InstantServer().caching(in: ResponseCache(capacity: capacity)) }

    func fetch(_ count: Int) async throws {
        for _ in 0..<count {
            let number = number.withLock { number in
                number += 1
                return number
            }
            guard let url = URL(string: "http://127.0.0.1/\(number)") else { continue }
            sink.add(try await transport.send(TransportRequest(url: url)).status)
        }
    }
}

private let roomyClient = Client(capacity: .max)
private let fullClient = Task {
    let client = Client(capacity: 16 << 20)
    try await client.fetch(20_000)
    return client
}
