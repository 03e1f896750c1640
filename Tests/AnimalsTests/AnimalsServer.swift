import Animals
import AnimalsBackend
import Foundation
import LocalBackend
import Networking
import Testing

/// Runs a server of animals on a file of its own, and lets `body` use it.
func withServer(
    _ body: (LocalBackend, @escaping @Sendable () -> RemoteStore) async throws -> Void
) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "animals-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let backend = LocalBackend()
    let file = folder.appending(path: "animals.sqlite").path(percentEncoded: false)
    AnimalsBackend(store: try LocalStore(.file(file))).serve(on: backend)
    let url = try await backend.start()
    do {
        try await body(backend) { RemoteStore(accessible: session(at: url)) }
    } catch {
        await backend.stop(within: .zero)
        throw error
    }
    await backend.stop(within: .zero)
}

func session(at url: URL) -> BackendSession {
    BackendSession(environment: BackendEnvironment(name: "test", services: [.core: url]))
}
