import Feedback
import LocalBackend
import Networking
import Persistence
import TimelineBackend

@testable import Timeline

/// The business controller, and the server that it talks to over real sockets.
struct TimelineServer: Sendable {
    let backend: LocalBackend
    let mastodon: MastodonServer
    let cache: NormalizedCache
    let controller: TimelineBusinessController

    var home: EntityList<Status.ID>? { cache.list(TimelineKey.home) }

    func requests(_ suffix: String) -> Int { backend.requests.count { $0.path.hasSuffix(suffix) } }
}

/// Runs `body` with a server, and stops the server afterwards.
func withServer(
    statusCount: Int = 60, writtenBetweenRefreshes: Int = 0,
    cache: NormalizedCache = TimelineBusinessController.makeCache(),
    _ body: (TimelineServer) async throws -> Void
) async throws {
    let backend = LocalBackend()
    let mastodon = MastodonServer(statusCount: statusCount, writtenBetweenRefreshes: writtenBetweenRefreshes)
    mastodon.serve(on: backend)
    let url = try await backend.start()
    let session = BackendSession(
        environment: BackendEnvironment(name: "test", services: [.core: url]),
        credentials: FixedCredentials(.bearer("test")))
    let controller = TimelineBusinessController(accessible: session, cache: cache)
    do {
        try await body(TimelineServer(backend: backend, mastodon: mastodon, cache: cache, controller: controller))
    } catch {
        await backend.stop(within: .zero)
        throw error
    }
    await backend.stop(within: .zero)
}

extension SignalProducer where Error == NoError {
    /// The value that is sent at once.
    var firstValue: Value? {
        let value = Locked<Value?>(nil)
        startWithValues { new in value.withLock { if $0 == nil { $0 = new } } }.dispose()
        return value.withLock { $0 }
    }
}

/// The values that one screen has shown, in order.
final class ShownValues<Shown: Equatable & Sendable>: Sendable {
    private let log = Locked<[Shown]>([])

    init<Value>(_ producer: SignalProducer<Value, NoError>, _ part: @escaping @Sendable (Value) -> Shown) {
        producer.map(part).skipRepeats().startWithValues { [log = self] value in log.add(value) }
    }

    private func add(_ value: Shown) { log.withLock { $0.append(value) } }

    var values: [Shown] { log.withLock { $0 } }
}
