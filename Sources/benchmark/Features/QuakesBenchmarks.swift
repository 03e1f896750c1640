import Feedback
import Foundation
import Networking
import Presentation
import Quakes

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
                    await world.value.live.send(.search(word)) { $0.selection.searchText == word }
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
                let key: QuakeSelection.Key = number % 2 == 0 ? .magnitude : .time
                let order: QuakeSelection.Order = number % 2 == 0 ? .ascending : .descending
                await world.value.live.send(.sort(key, order)) { $0.selection.key == key }
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
                await live.send(.deleteChosen) { $0.catalog.value[id] == nil && !$0.catalog.hasPendingChanges }
            }
        })
}

private func unrelated(_ world: QuakeWorld) -> Benchmark {
    Benchmark(
        "quakes, \(world.count.grouped): an unrelated event", per: "event", operations: 10_000, goal: .ratio(1.1),
        baseline: (
            "the same event with ten quakes",
            { await QuakeWorld.ten.value.live.leave(10_000) }
        ),
        ours: { await world.value.live.leave(10_000) })
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
            let changed = feed[0]
            await world.value.live.send(.refresh(.month)) { state in
                !state.refreshing.isUnderWay && state.catalog.value[changed.id] == changed
            }
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
                TemporaryFiles.withNewFile { BareQuakes(path: $0).upsert(quakes) }
                sink.add(QuakeArray(quakes).select(world.value.day, "").count)
            }
        ),
        ours: {
            let bytes = world.value.bytes
            let feeds = MadeUpFeeds(feed: MutableProperty({ Parser.parse(bytes) }))
            try await TemporaryFiles.withNewFile { path in
                let screen = QuakesBuilder(
                    businessController: QuakesBusinessController(
                        accessible: feeds, database: try QuakeDatabase(.file(path))),
                    now: { QuakeWorld.noon }, calendar: QuakeWorld.calendar
                ).quakes(onRoute: { _ in })
                try await screen.press("Refresh month")
                await screen.settled()
                for await _ in screen.changes.values where screen.screen.progress.isEmpty { break }
                sink.add(screen.screen.rows.count)
            }
        })
}
