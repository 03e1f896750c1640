import Dispatch
import Feedback
import Foundation
import Networking
import Persistence
import Presentation
import Quakes
import QuakesBackend

/// The rows on the quakes, with a month's worth of them and with ten times as many.
let quakesBenchmarks: [Benchmark] = [10_000, 100_000].flatMap { count in
    let world = QuakeWorld(count)
    return [
        keystroke(world), sortChange(world), deletion(world), unrelated(world), refresh(world), bytesToRows(world),
    ]
}

private let words = ["san jose", "california", "km", "zzz", "alaska, ", ""]

private func keystroke(_ world: QuakeWorld) -> Benchmark {
    Benchmark(
        "quakes, \(world.count.grouped): a keystroke in the search", per: "keystroke", operations: words.count * 10,
        goal: .ratio(1.5),
        baseline: (
            "filtering and sorting an array",
            {
                for _ in 0..<10 {
                    for word in words { sink.add(world.value.array.select(world.value.day, word).count) }
                }
            }
        ),
        ours: {
            for _ in 0..<10 {
                for word in words {
                    world.value.live.send(.search(word))
                    sink.add(world.value.live.state.value.shown.sorted.count)
                }
            }
        })
}

private func sortChange(_ world: QuakeWorld) -> Benchmark {
    Benchmark(
        "quakes, \(world.count.grouped): another order", per: "change", operations: 40, goal: .ratio(1.5),
        baseline: (
            "filtering and sorting an array",
            {
                for number in 0..<40 {
                    let found = world.value.array.select(world.value.day, "", byMagnitude: number % 2 == 0)
                    sink.add(found.count)
                }
            }
        ),
        ours: {
            for number in 0..<40 {
                world.value.live.send(
                    number % 2 == 0 ? .sort(.magnitude, .ascending) : .sort(.time, .descending))
                sink.add(world.value.live.state.value.shown.sorted.count)
            }
        })
}

private func deletion(_ world: QuakeWorld) -> Benchmark {
    Benchmark(
        "quakes, \(world.count.grouped): delete one, on the screen and in the database", per: "deletion",
        operations: 10, goal: .ratio(1.5),
        baseline: (
            "an array, filtered and sorted, and a SQL transaction",
            {
                for id in world.value.nextIds(10, isBare: true) {
                    world.value.array.remove(id)
                    sink.add(world.value.array.select(world.value.day, "").count)
                    world.value.bare.delete(id)
                }
            }
        ),
        ours: {
            let live = world.value.live
            for id in world.value.nextIds(10, isBare: false) {
                live.send(.choose(id))
                live.send(.deleteChosen)
                await live.settles { $0.catalog.pendingIDs.isEmpty }
            }
        })
}

private func unrelated(_ world: QuakeWorld) -> Benchmark {
    Benchmark(
        "quakes, \(world.count.grouped): an unrelated event", per: "event", operations: 10_000, goal: .ratio(1.1),
        baseline: (
            "the same event with ten quakes",
            { for _ in 0..<10_000 { QuakeWorld.ten.value.live.send(.leave) } }
        ),
        ours: { for _ in 0..<10_000 { world.value.live.send(.leave) } })
}

private func refresh(_ world: QuakeWorld) -> Benchmark {
    Benchmark(
        "quakes, \(world.count.grouped): a refresh with 1 % changed", per: "refresh", operations: 1, goal: .ratio(1.5),
        baseline: (
            "reading all rows and writing the changed ones in a SQL transaction, an array, filtered and sorted",
            {
                let changed = world.value.bare.merge(world.value.nextFeed(isBare: true))
                world.value.array.replace(changed)
                sink.add(world.value.array.select(world.value.day, "").count)
            }
        ),
        ours: {
            let feed = world.value.nextFeed(isBare: false)
            world.value.feed.value = { .success(QuakeFeed(quakes: feed)) }
            world.value.live.send(.refresh(.month))
            await world.value.live.settles { !$0.refreshing.isUnderWay }
            sink.add(world.value.live.state.value.shown.sorted.count)
        })
}

private func bytesToRows(_ world: QuakeWorld) -> Benchmark {
    Benchmark(
        "quakes, \(world.count.grouped): from the feed's bytes to rows, first time", per: "feed", operations: 1,
        goal: .ratio(1.5),
        baseline: (
            "JSONDecoder, a SQL transaction, a sort",
            {
                let quakes = try JSONDecoder().decode(BareFeed.self, from: world.value.bytes).quakes
                QuakeFiles.withNewFile { BareQuakes(path: $0).upsert(quakes) }
                sink.add(QuakeArray(quakes).select(world.value.day, "").count)
            }
        ),
        ours: {
            let bytes = world.value.bytes
            let feeds = MadeUpFeeds(feed: MutableProperty({ Parser.parse(bytes) }))
            try await QuakeFiles.withNewFile { path in
                let screen = QuakesBuilder(
                    businessController: QuakesBusinessController(
                        accessible: feeds, database: try QuakeDatabase(.file(path))),
                    now: { QuakeWorld.noon }, calendar: QuakeWorld.calendar
                ).quakes(onRoute: { _ in })
                try await screen.press("Refresh month")
                for await _ in screen.changes.values where screen.screen.progress.isEmpty { break }
                sink.add(screen.screen.rows.count)
            }
        })
}

// MARK: - Data

/// A number of quakes in a running view model, and the same in an array and a bare database. Made on first use.
// Unchecked, since it is used by one benchmark at a time.
final class QuakeWorld: @unchecked Sendable {
    static let ten = QuakeWorld(10)
    static let noon = Date(timeIntervalSince1970: 1_795_262_400)
    static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    struct Contents {
        let live: LiveViewModel<QuakesViewModel>
        let feed: MutableProperty<@Sendable () -> Result<QuakeFeed, CoreError>>
        let array: QuakeArray
        let bare: BareQuakes
        let bytes: Data
        let day: Range<Date>
        let ids: [Quake.ID]
        let quakes: [Quake]
        let numbers: Numbers

        /// Ids that have not been used before.
        func nextIds(_ count: Int, isBare: Bool) -> ArraySlice<Quake.ID> {
            let start = numbers.take(isBare ? \.bareId : \.ourId, count)
            return ids[start..<start + count]
        }

        /// All quakes, one in a hundred of them changed.
        func nextFeed(isBare: Bool) -> [Quake] {
            let revision = numbers.take(isBare ? \.bareFeed : \.ourFeed, 1) + 1
            var feed = quakes
            for place in stride(from: 0, to: feed.count, by: 100) {
                feed[place].updated += Double(revision)
                feed[place].magnitude += Double(revision % 7) / 10
            }
            return feed
        }
    }

    /// Counts the ids and feeds that have been used.
    final class Numbers: @unchecked Sendable {
        // Guarded by being used by one benchmark at a time.
        var (bareId, ourId, bareFeed, ourFeed) = (0, 0, 0, 0)

        func take(_ number: ReferenceWritableKeyPath<Numbers, Int>, _ count: Int) -> Int {
            defer { self[keyPath: number] += count }
            return self[keyPath: number]
        }
    }

    let count: Int
    lazy var value = makeContents()

    init(_ count: Int) { self.count = count }

    private func makeContents() -> Contents {
        let generator = QuakeFeedGenerator(count: count, end: Self.noon, malformedShare: 0)
        let bytes = generator.feed()
        let parsed: Result<QuakeFeed, CoreError> = Parser.parse(bytes)
        guard case let .success(feed) = parsed, let database = try? QuakeDatabase(.file(QuakeFiles.newPath())) else {
            preconditionFailure("The quakes could not be made.")
        }
        let quakes = feed.quakes.filter { $0.magnitude > 0 }
        let feeds = MadeUpFeeds(feed: MutableProperty({ .success(QuakeFeed(quakes: quakes)) }))
        let live = LiveViewModel(
            QuakesViewModel(
                businessController: QuakesBusinessController(accessible: feeds, database: database), now: Self.noon,
                calendar: Self.calendar))
        live.waits { $0.reading.isDone }
        live.send(.refresh(.month))
        live.waits { !$0.refreshing.isUnderWay }
        let bare = BareQuakes(path: QuakeFiles.newPath())
        bare.upsert(quakes)
        let day = QuakeDay(of: Self.noon, in: Self.calendar).span
        return Contents(
            live: live, feed: feeds.feed, array: QuakeArray(quakes), bare: bare, bytes: bytes, day: day,
            ids: quakes.filter { !day.contains($0.time) }.map(\.id), quakes: quakes, numbers: Numbers())
    }
}

extension LiveViewModel where Model == QuakesViewModel {
    /// Waits until the state is as it should be.
    fileprivate func settles(_ isSettled: @escaping @Sendable (QuakesViewModel.State) -> Bool) async {
        for await isDone in state.producer.map(isSettled).values where isDone { break }
    }

    fileprivate func waits(_ isSettled: @escaping @Sendable (QuakesViewModel.State) -> Bool) {
        _ = state.producer.map(isSettled).filter { $0 }.first()
    }
}

extension LiveScreen {
    fileprivate func press(_ title: String) async throws {
        for await _ in changes.values {
            for button in screen.actions where button.title == title && button.isEnabled { return button.action() }
        }
    }
}

/// Answers with a feed at once.
private struct MadeUpFeeds: Accessible {
    let feed: MutableProperty<@Sendable () -> Result<QuakeFeed, CoreError>>

    func access<Request, Response>(
        _ resource: BackendResource<Request, Response, NoAuth>, with request: Request
    ) -> SignalProducer<Response, CoreError> {
        SignalProducer { [feed] () -> Result<Response, CoreError> in
            feed.value().flatMap { feed in
                guard let answer = Conditional.changed(feed, nil) as? Response else { return .failure(.cancelled) }
                return .success(answer)
            }
        }
    }
}

/// A feed without malformed features, decoded with the least code.
private struct BareFeed: Decodable {
    struct Feature: Decodable {
        struct Properties: Decodable {
            var mag: Double?
            var place: String?
            var time: Double
            var updated: Double
        }

        struct Geometry: Decodable {
            var coordinates: [Double]
        }

        var id: String
        var properties: Properties
        var geometry: Geometry
    }

    var features: [Feature]

    var quakes: [Quake] {
        features.compactMap { feature in
            guard let magnitude = feature.properties.mag, magnitude > 0 else { return nil }
            return Quake(
                quakeId: feature.id, magnitude: magnitude,
                time: Date(timeIntervalSince1970: feature.properties.time / 1_000),
                updated: Date(timeIntervalSince1970: feature.properties.updated / 1_000),
                name: feature.properties.place ?? "", longitude: feature.geometry.coordinates[0],
                latitude: feature.geometry.coordinates[1])
        }
    }
}

/// Databases that are removed when the command ends.
private enum QuakeFiles {
    private static let folder: String = {
        let path = NSTemporaryDirectory() + "/feedback-quakes-\(UUID().uuidString)"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(atPath: QuakeFiles.folder) }
        return path
    }()

    static func newPath() -> String { folder + "/\(UUID().uuidString)" }

    static func withNewFile(_ body: (String) throws -> Void) rethrows {
        let path = newPath()
        try body(path)
        remove(path)
    }

    static func withNewFile(_ body: (String) async throws -> Void) async rethrows {
        let path = newPath()
        try await body(path)
        remove(path)
    }

    private static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}
