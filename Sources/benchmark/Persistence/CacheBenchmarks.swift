import Feedback
import Persistence

private let changes = 10_000
private let screens = 1_000
private let shown = 40

/// The row on the normalized cache.
let cacheBenchmarks: [Benchmark] = [oneEntityChanges]

private let oneEntityChanges = Benchmark(
    "normalized cache: one entity changes, 1,000 screens watch 40 of 100,000", per: "change", operations: changes,
    goal: .ratio(1.3),
    baseline: ("the screen that shows it alone", { change(alone) }),
    ours: { change(crowded) })

private let alone = Watched(screens: 1)
private let crowded = Watched(screens: screens)

private struct Item: Entity {
    let id: Int
    var count = 0
}

/// A cache of 100,000 entities, and screens that watch 40 each; the first shows the entities that change.
private struct Watched {
    let cache = NormalizedCache()
    private let watches: [any Disposable]

    init(screens: Int) {
        let cache = cache
        cache.store((0..<100_000).map { Item(id: $0) })
        watches = (0..<screens).map { screen in
            cache.watch((0..<shown).map { Reference<Item>(screen * shown + $0) })
                .startWithValues { items in sink.add(items.count) }
        }
    }
}

private func change(_ watched: Watched) {
    for number in 0..<changes {
        watched.cache.update(Reference<Item>(number % shown)) { $0.count += 1 }
    }
}
