import Foundation
import Testing

@testable import Networking

/// When a request is sent again, to the second.
@Suite("Retry policies")
struct RetryPolicyTests {
    private let now = Date(timeIntervalSince1970: 784_111_777)

    private func delay(
        _ policy: RetryPolicy, attempts: Int = 1, method: HTTPMethod = .GET, after header: String? = nil,
        chance: Double = 0
    ) throws -> Duration? {
        let url = try #require(URL(string: "https://api.example.com/v1"))
        var headers = HTTPHeaders()
        headers["Retry-After"] = header
        let response = try TransportResponse(status: 503, headers: headers, url: url)
        return policy.delay(
            afterAttempts: attempts, of: method, ending: .success(response), now: now, chance: chance)
    }

    @Test("Each wait is twice as long as the one before, up to the longest, and there is none after the last attempt")
    func doubling() throws {
        let policy = RetryPolicy(maximumAttempts: 6, firstDelay: .seconds(2), maximumDelay: .seconds(12))
        let delays = try (1...7).map { try delay(policy, attempts: $0) }
        #expect(delays == [.seconds(2), .seconds(4), .seconds(8), .seconds(12), .seconds(12), nil, nil])
        #expect(try delay(policy, method: .POST) == nil)
    }

    @Test(
        "The random part takes no more than its share of the wait, which is between none and all",
        arguments: [(0, 10), (0.25, 7.5), (1, 0), (-1, 10), (2, 0)])
    func jitter(share: Double, seconds: Double) throws {
        let policy = RetryPolicy(firstDelay: .seconds(10), jitter: share)
        #expect(try delay(policy, chance: 0) == .seconds(10))
        #expect(try delay(policy, chance: 1) == .seconds(seconds))
        #expect(try delay(policy, chance: 0.5) == .seconds((10 + seconds) / 2))
    }

    @Test("A delay below zero is none")
    func negative() throws {
        #expect(try delay(RetryPolicy(firstDelay: .seconds(-5)), attempts: 2) == .zero)
    }

    @Test(
        "The server's wait counts if it is longer than the policy's, and is refused beyond the longest",
        arguments: [
            ("0", 10), ("9", 10), ("11", 11), ("30", 30), (" 11 ", 11), ("31", nil),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 10), ("Sun, 06 Nov 1994 08:49:57 GMT", 20),
            ("Sun, 06 Nov 1994 08:50:07 GMT", 30), ("Sun, 06 Nov 1994 08:50:08 GMT", nil),
            ("Sun, 06 Nov 1994 08:00:00 GMT", 10), ("", 10), ("soon", 10), ("٣٠", 10),
        ] as [(String, Double?)])
    func wanted(header: String, seconds: Double?) throws {
        let policy = RetryPolicy(firstDelay: .seconds(10), maximumDelay: .seconds(30))
        #expect(try delay(policy, after: header) == seconds.map { .seconds($0) })
    }
}
