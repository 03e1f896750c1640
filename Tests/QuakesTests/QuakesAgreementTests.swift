import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import Networking
import Persistence
import Presentation
import Testing

@testable import Quakes

/// Random sequences of refreshes, deletions, failures and restarts, against a plain dictionary.
@Suite(.onOwnThread)
struct QuakesAgreementTests {
    @Test("State and database agree after any sequence, and both are what a plain model has", arguments: 0..<12)
    func random(seed: Int) async throws {
        var numbers = SeededGenerator(seed: UInt64(seed))
        let world = try World()
        defer { world.removeFiles() }
        var model: [Quake.ID: Quake] = [:]
        var live = try await world.start()

        for _ in 0..<40 {
            switch Int.random(in: 0..<10, using: &numbers) {
            case 0..<4:
                let feed = QuakeFeed(quakes: Quake.random(Int.random(in: 0..<40, using: &numbers), using: &numbers))
                world.feed.value = .success(feed)
                try await settle(live)
                live.send(.refresh(.week))
                try await settle(live)
                let changes = QuakeChanges(from: feed.quakes, stored: { model[$0] })
                for quake in changes.deleted { model[quake.id] = nil }
                for quake in changes.inserted + changes.updated { model[quake.id] = quake }
            case 4:
                world.feed.value = .failure(.fixture())
                live.send(.refresh(.week))
                try await settle(live)
            case 5..<8:
                guard let id = model.keys.sorted().randomElement(using: &numbers) else { continue }
                live.send(.choose(id))
                live.send(.deleteChosen)
                model[id] = nil
            case 8:
                if Int.random(in: 0..<4, using: &numbers) == 0 {
                    live.send(.deleteAll)
                    model = [:]
                }
            default:
                // A restart loses deletions that are under way, so they are carried out first.
                try await settle(live)
                live = try await world.start()
            }
            // An action that is sent while an answer is reduced is reduced after it, and may not be seen at once.
            let expected = QuakeCatalog(model.values)
            await eventually("the screen shows what the model has") { live.state.value.catalog.value == expected }
        }
        try await settle(live)
        #expect(live.state.value.catalog.truth == QuakeCatalog(model.values))
        #expect(try world.stored() == QuakeCatalog(model.values))
    }

    @Test("State and database agree also after overlapping operations", arguments: 0..<12)
    func interleaved(seed: Int) async throws {
        var numbers = SeededGenerator(seed: UInt64(seed))
        let world = try World()
        defer { world.removeFiles() }
        let live = try await world.start()
        for _ in 0..<60 {
            world.feed.value = .success(
                QuakeFeed(quakes: Quake.random(Int.random(in: 0..<40, using: &numbers), using: &numbers)))
            switch Int.random(in: 0..<6, using: &numbers) {
            case 0..<3: live.send(.refresh(.week))
            case 3: await eventually("the refresh has ended") { live.state.value.canRefresh }
            case 4 where Int.random(in: 0..<4, using: &numbers) == 0: live.send(.deleteAll)
            default:
                let ids = live.state.value.catalog.value.all.map(\.id)
                guard let id = ids.randomElement(using: &numbers) else { continue }
                if live.state.value.chosenId != id { live.send(.choose(id)) }
                live.send(.deleteChosen)
            }
        }
        try await settle(live)
        try await eventually("state and database agree") {
            let catalog = live.state.value.catalog
            return try world.stored() == catalog.truth && catalog.value == catalog.truth
        }
        #expect(live.state.value.failedDeletion == nil)
    }

    @Test("If deletions fail in the database, they are rolled back, and state and database agree", arguments: 0..<6)
    func failures(seed: Int) async throws {
        var numbers = SeededGenerator(seed: UInt64(seed))
        let world = try World()
        defer { world.removeFiles() }
        world.feed.value = .success(QuakeFeed(quakes: Quake.random(60, using: &numbers)))
        let live = try await world.start(patience: .milliseconds(20))
        live.send(.refresh(.week))
        await eventually("the feed is shown") { live.state.value.total > 0 }
        try await settle(live)
        let ids = live.state.value.catalog.value.all.map(\.id)
        // Another process holds the file, and does not let go.
        let lock = try world.lock()
        live.send(.choose(ids[0]))
        live.send(.deleteChosen)
        live.send(.deleteAll)
        await eventually("both are shown") { live.state.value.total == 0 || live.state.value.failedDeletion != nil }
        await eventually("both deletions have failed") { live.state.value.catalog.pendingIDs.isEmpty }
        #expect(live.state.value.total == ids.count)
        #expect(live.state.value.failedDeletion?.deletion == .all)
        lock.end()
        #expect(try world.stored() == live.state.value.catalog.value)
        try await eventually("the deletion succeeds, as nobody else holds the file") {
            if live.state.value.failedDeletion != nil { live.send(.deleteAgain) }
            return try world.stored().isEmpty
        }
    }

    private func settle(_ live: LiveViewModel<QuakesViewModel>) async throws {
        await eventually("nothing is under way") {
            let state = live.state.value
            return !state.refreshing.isUnderWay && !state.reading.isUnderWay && state.catalog.pendingIDs.isEmpty
        }
    }
}

// MARK: - World

/// A database in a file, and feeds that a test makes up.
private struct World: Sendable {
    let feed = MutableProperty<Result<QuakeFeed, CoreError>>(.failure(.fixture()))
    private let path = FileManager.default.temporaryDirectory.appending(path: "quakes-\(UUID().uuidString).sqlite")
        .path(percentEncoded: false)

    init() throws { _ = try QuakeDatabase(.file(path)) }

    func removeFiles() {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    /// Starts the feature anew, as after a restart, and waits until it has read the database.
    ///
    /// - Parameter patience: The time that a write waits for another process before it fails.
    func start(patience: Duration = .seconds(60)) async throws -> LiveViewModel<QuakesViewModel> {
        var configuration = SQLiteDatabase.Configuration()
        configuration.patience = patience
        configuration.waitsForDisk = false
        let database = try QuakeDatabase(SQLiteDatabase(.file(path), configuration: configuration))
        let live = LiveViewModel(
            QuakesViewModel(
                businessController: QuakesBusinessController(accessible: MadeUpFeeds(feed: feed), database: database),
                now: .quakeFixture, calendar: QuakesExpectations.calendar()))
        await eventually("the database has been read") { live.state.value.reading.isDone }
        return live
    }

    func stored() throws -> QuakeCatalog {
        QuakeCatalog(try QuakeDatabase(.file(path)).fetchQuakes().single()?.get() ?? [])
    }

    /// Keeps other connections from writing.
    func lock() throws -> FileLock { try FileLock(path) }
}

private struct MadeUpFeeds: Accessible {
    let feed: MutableProperty<Result<QuakeFeed, CoreError>>

    func access<Request, Response>(
        _ resource: BackendResource<Request, Response, NoAuth>, with request: Request
    ) -> SignalProducer<Response, CoreError> {
        SignalProducer { [feed] () -> Result<Response, CoreError> in
            feed.value.flatMap { feed in
                guard let answer = Conditional.changed(feed, nil) as? Response else { return .failure(.cancelled) }
                return .success(answer)
            }
        }
    }
}

/// A transaction of another connection that does not end before it is told to.
private final class FileLock: Sendable {
    private let release = DispatchSemaphore(value: 0)
    private let hasEnded = DispatchSemaphore(value: 0)

    init(_ path: String) throws {
        let quakes = try SQLiteStore(Quake.schema, at: path)
        let isHeld = DispatchSemaphore(value: 0)
        let (release, hasEnded) = (release, hasEnded)
        let thread = Thread {
            quakes.transaction { _ throws(StoreError) in
                isHeld.signal()
                release.wait()
            }.start()
            hasEnded.signal()
        }
        thread.start()
        isHeld.wait()
    }

    func end() {
        release.signal()
        hasEnded.wait()
    }
}
