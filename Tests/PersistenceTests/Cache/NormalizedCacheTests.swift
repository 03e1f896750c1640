import Feedback
import FeedbackTesting
import Persistence
import Testing

private struct Person: Entity {
    let id: String
    var name: String
}

private struct Feature: Entity {
    let id: Int
    var title: String
    var director: Reference<Person>
}

@Suite("The normalized cache")
struct NormalizedCacheTests {
    private let cache = NormalizedCache()

    @Test("It keeps each entity once, whatever refers to it")
    func onceByID() {
        let reed = Person(id: "reed", name: "Carol Reed")
        cache.store(reed)
        cache.store((1...3).map { Feature(id: $0, title: "\($0)", director: Reference(to: reed)) })
        cache.store(Person(id: "reed", name: "Sir Carol Reed"))
        let feature = cache[Reference<Feature>(2)]
        #expect(feature.flatMap { cache[$0.director] }?.name == "Sir Carol Reed")
        cache.update(Reference<Person>("reed")) { $0.name = "C. Reed" }
        #expect(cache[Reference(to: reed)]?.name == "C. Reed")
        cache.remove(Reference<Person>("reed"))
        #expect(cache[Reference(to: reed)] == nil)
        #expect(cache.count == 3)
        cache.update(Reference<Person>("reed")) { $0.name = "nobody" }
        #expect(cache[Reference(to: reed)] == nil)
    }

    @Test("Entities of different types may have the same id")
    func typesApart() {
        cache.store(Feature(id: 1, title: "a", director: Reference("x")))
        cache.store(Numbered(id: 1))
        #expect(cache[Reference<Feature>(1)] != nil)
        cache.remove(Reference<Numbered>(1))
        #expect(cache[Reference<Feature>(1)] != nil)
    }

    @Test("A watch is told when an entity that it read changes, comes or goes, and of nothing else")
    func dependencies() {
        cache.store(Person(id: "reed", name: "Reed"))
        let (titles, disposable) = cache.watch { cache in
            cache[Reference<Feature>(1)].map { "\($0.title) by \(cache[$0.director]?.name ?? "?")" }
        }.collecting()
        cache.store(Person(id: "welles", name: "Welles"))
        cache.store(Feature(id: 2, title: "Other", director: Reference("reed")))
        cache.store(Feature(id: 1, title: "The Third Man", director: Reference("reed")))
        cache.store(Feature(id: 1, title: "The Third Man", director: Reference("reed")))
        cache.store(Person(id: "reed", name: "Carol Reed"))
        cache.store(Feature(id: 1, title: "Touch of Evil", director: Reference("welles")))
        cache.store(Person(id: "reed", name: "no longer read"))
        cache.remove(Reference<Person>("welles"))
        cache.remove(Reference<Feature>(1))
        #expect(
            titles.all == [
                nil, "The Third Man by Reed", "The Third Man by Carol Reed", "Touch of Evil by Welles",
                "Touch of Evil by ?",
                nil,
            ])
        disposable.dispose()
        cache.store(Feature(id: 1, title: "late", director: Reference("reed")))
        #expect(titles.all.count == 6)
    }

    @Test("Several changes are seen as one")
    func changesAsOne() {
        let references = (0..<4).map { Reference<Numbered>($0) }
        let (emissions, disposable) = cache.watch(references).map { $0.map(\.number) }.collecting()
        cache.change { changes in
            for id in 0..<3 { changes.store(Numbered(id: id, number: id)) }
            changes.remove(Reference<Numbered>(1))
        }
        cache.change { changes in
            for id in 0..<4 { changes.store(Numbered(id: id, number: 7)) }
        }
        #expect(emissions.all == [[], [0, 2], [7, 7, 7, 7]])
        disposable.dispose()
    }

    @Test("Values that equal the one before are left out")
    func repetitions() {
        let (counts, disposable) = cache.watch { $0.entities((0..<9).map { Reference<Numbered>($0) }).count }
            .collecting()
        cache.store(Numbered(id: 1, number: 1))
        cache.store(Numbered(id: 1, number: 2))
        cache.store(Numbered(id: 2, number: 2))
        #expect(counts.all == [0, 1, 2])
        disposable.dispose()
    }

    @Test("One entity's change runs only those of a thousand watches that show it")
    func costFollowsWatches() {
        cache.store((0..<5_000).map { Numbered(id: $0) })
        let runs = Locked(0)
        var disposables: [any Disposable] = []
        for screen in 0..<1000 {
            let references = (0..<4).map { Reference<Numbered>(screen * 4 + $0) }
            let watch = cache.watch { cache in
                runs.withLock { $0 += 1 }
                return cache.entities(references)
            }
            disposables.append(watch.startWithValues { _ in })
        }
        let initial = runs.withLock { $0 }
        #expect(initial == 1000)
        for id in 0..<100 { cache.store(Numbered(id: id, number: 5)) }
        #expect(runs.withLock { $0 } == initial + 100)
        cache.store(Numbered(id: 4_500, number: 5))
        #expect(runs.withLock { $0 } == initial + 100)
        for disposable in disposables { disposable.dispose() }
    }

    @Test("With many writers a watch sees whole changes only, and the last one in the end")
    func manyWriters() async {
        let pair = [Reference<Numbered>(0), Reference<Numbered>(1)]
        let (emissions, disposable) = cache.watch(pair).map { $0.map(\.number) }.collecting()
        await onThreads(8) { [cache] writer in
            for number in 0..<200 {
                cache.change { changes in
                    for reference in pair { changes.store(Numbered(id: reference.id, number: writer * 1000 + number)) }
                }
            }
        }
        // The rest may be delivered on another thread.
        await eventually("the last change is seen") { emissions.all.last == pair.compactMap { cache[$0]?.number } }
        #expect(emissions.all.allSatisfy { $0.isEmpty || ($0.count == 2 && $0[0] == $0[1]) })
        disposable.dispose()
    }

    @Test("A watch that reads nothing goes on until it is disposed of")
    func emptyWatch() {
        let ends = Emissions<Bool>()
        let disposable = cache.watch([Reference<Numbered>]()).start { event in
            if event.isTerminating { ends.append(true) }
        }
        #expect(ends.all == [])
        disposable.dispose()
        #expect(ends.all == [true])
    }

    @Test("A watch is interrupted when its cache is freed")
    func goneIsGone() {
        let interruptions = Emissions<Bool>()
        do {
            let cache = NormalizedCache()
            cache.watch([Reference<Numbered>(1)]).startWithInterrupted { interruptions.append(true) }
            #expect(interruptions.all == [])
        }
        #expect(interruptions.all == [true])
    }
}

private struct Numbered: Entity {
    let id: Int
    var number = 0
}
