import Networking

/// Answers requests with a function.
struct StubTransport: Transport {
    let answer: @Sendable (TransportRequest) async throws(CoreError) -> TransportResponse

    init(_ answer: @escaping @Sendable (TransportRequest) async throws(CoreError) -> TransportResponse) {
        self.answer = answer
    }

    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse { try await answer(request) }

    /// Never answers.
    static let silent = StubTransport { _ throws(CoreError) in
        // Not a wait for a time: the end of the test cancels it.
        try? await Task.sleep(for: .seconds(86_400))
        throw .cancelled
    }
}
