import Feedback
import Foundation
import LocalBackend
import Networking
import Testing

struct City: Codable, Equatable, Sendable {
    var id: Int
    var name: String
    var population: Int?
}

/// A server on loopback and a session that asks it, for the time of one test.
func withBackend(
    credentials: (any CredentialProvider)? = FixedCredentials(.bearer("secret")),
    transport: any Transport = DefaultTransport(),
    configure: (inout BackendSession.Configuration) -> Void = { _ in },
    _ body: (LocalBackend, BackendSession) async throws -> Void
) async throws {
    let backend = LocalBackend()
    let url = try await backend.start()
    let environment = BackendEnvironment(name: "test", services: [.core: url])
    let session = BackendSession(
        environment: environment, credentials: credentials, transport: transport, configure: configure)
    do {
        try await body(backend, session)
    } catch {
        await backend.stop(within: .zero)
        throw error
    }
    await backend.stop(within: .zero)
}

/// The error that the work ends with.
func failure<Value>(of work: () async throws(CoreError) -> Value) async -> CoreError? {
    do throws(CoreError) {
        _ = try await work()
        return nil
    } catch {
        return error
    }
}

/// Records that the work ended with another error than expected, or with none.
func recordUnexpected(
    _ error: CoreError?, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) {
    let text = error.map { "Unexpected error: \($0)" } ?? "There was no error."
    Issue.record("\(text) \(comment.map { "\($0)" } ?? "")", sourceLocation: sourceLocation)
}

extension BackendResource where Request == Void, Response: Decodable {
    static func get(_ path: String, headers: HTTPHeaders = [:]) -> Self {
        Self(path: .api(.core, path), method: .GET, headers: headers)
    }
}

extension RequestBody {
    /// A stream of one byte, which then has nothing to send and does not end.
    static func stalled(length: Int64? = nil) -> RequestBody {
        .stream(length: length) { AsyncStream { $0.yield(Data([1])) } }
    }
}

/// A transport that answers with a function.
struct StubTransport: Transport {
    let answer: @Sendable (TransportRequest) async throws(CoreError) -> TransportResponse

    init(_ answer: @escaping @Sendable (TransportRequest) async throws(CoreError) -> TransportResponse) {
        self.answer = answer
    }

    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse { try await answer(request) }
}

/// A value behind a lock, for what closures of a test write.
final class Box<Value: Sendable>: Sendable {
    private let storage: Locked<Value>

    init(_ value: Value) { storage = Locked(value) }

    var value: Value {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }

    func update<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { storage.withLock { body(&$0) } }
}
