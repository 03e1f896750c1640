import Feedback
import Foundation
import LocalBackend
import Networking
import Persistence
import Fixtures
import QuakesBackend
import Quakes

/// A server of made-up feeds, and a controller that keeps their quakes in a file.
struct QuakesServer: Sendable {
    let backend: LocalBackend
    let controller: QuakesBusinessController
    let revision: MutableProperty<Int>
    fileprivate let generator: QuakeFeedGenerator
    fileprivate let file: URL

    /// The feed of the month, as it is served.
    func feed() throws -> QuakeFeed { try Parser.parse(generator.feed(revision: revision.value)).get() }

    /// All bytes of the database.
    func fileContents() throws -> [Data] {
        try ["", "-wal"].map { try Data(contentsOf: URL(filePath: file.path(percentEncoded: false) + $0)) }
    }
}

/// Runs a server for the time of one test.
func withQuakes(
    count: Int = 1_000, maximumSize: Int? = nil, _ body: (QuakesServer) async throws -> Void
) async throws {
    let backend = LocalBackend()
    let revision = MutableProperty(0)
    let generator = QuakeFeedGenerator(count: count, end: .quakeFixture)
    QuakesBackend(generator, revision: { revision.value }).serve(on: backend)
    let url = try await backend.start()
    let file = FileManager.default.temporaryDirectory.appending(path: "quakes-\(UUID().uuidString).sqlite")
    defer {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: file.path(percentEncoded: false) + suffix)
        }
    }
    var configuration = SQLiteDatabase.Configuration()
    configuration.maximumSize = maximumSize
    let database = try SQLiteDatabase(.file(file.path(percentEncoded: false)), configuration: configuration)
    let session = BackendSession(environment: QuakesExpectations.environment(at: url))
    let controller = QuakesBusinessController(accessible: session, database: try QuakeDatabase(database))
    do {
        try await body(
            QuakesServer(
                backend: backend, controller: controller, revision: revision, generator: generator, file: file))
    } catch {
        await backend.stop(within: .zero)
        throw error
    }
    await backend.stop(within: .zero)
}
