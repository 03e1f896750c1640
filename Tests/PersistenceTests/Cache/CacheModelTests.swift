import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("The normalized cache against a plain model", .onOwnThread)
struct CacheModelTests {
    /// The number of random runs; `CACHE_SEEDS` changes it.
    private static let seeds = ProcessInfo.processInfo.environment["CACHE_SEEDS"].flatMap(UInt64.init) ?? 60

    @Test(
        "In any interleaving each watch shows what the model says, and is woken for nothing else",
        arguments: 0..<Self.seeds)
    func randomInterleavings(seed: UInt64) {
        var run = ModelRun(seed: seed)
        for step in 0..<250 { run.step(step) }
        run.end()
    }
}

/// A cache and the model of it, which the same random steps change.
private struct ModelRun {
    private var numbers: SeededNumbers
    private let cache = NormalizedCache(limits: CacheLimits(count: 12))
    private var model = PlainCache()
    private var watches: [Int: (watch: ModelWatch, disposable: any Disposable)] = [:]
    private var changes: [(cache: OptimisticChangeID, model: Int)] = []
    private var moments: [(cache: CacheMoment, model: Int)] = []

    init(seed: UInt64) { numbers = SeededNumbers(seed: seed) }

    mutating func step(_ step: Int) {
        switch Int.random(in: 0..<100, using: &numbers) {
        case 0..<30: store()
        case 30..<40: list()
        case 40..<50: apply(step)
        case 50..<60: settle()
        case 60..<65: remove()
        case 65..<69: moments.append((cache.moment(), model.tick()))
        case 69: removeAll()
        case 70..<85: watch(step)
        default: endWatch()
        }
        forgetEvicted()
        for (watch, _) in watches.values { watch.check(model, "step \(step)") }
    }

    mutating func end() {
        for watch in watches.values { watch.disposable.dispose() }
        watches = [:]
        cache.updateList(Feed.home) { $0 = EntityList() }
        for change in changes { cache.rollBack(change.cache) }
        #expect(cache.count <= 12)
    }

    // MARK: - Steps

    private mutating func pick(_ range: Range<Int>) -> Int { Int.random(in: range, using: &numbers) }

    private mutating func randomPost() -> Post {
        // One name for each author, so that none changes twice at once.
        let names = (0..<4).map { _ in "\(pick(0..<3))" }
        func author(_ id: Int) -> Author { Author(id: "\(id)", name: names[id]) }
        // Posts quote only posts with greater ids, so that there are no circles, which a plain model cannot have.
        let quoted = Post(id: pick(6..<9), text: "\(pick(0..<3))", author: author(pick(0..<4)))
        return Post(
            id: pick(0..<6), text: "\(pick(0..<3))", author: author(pick(0..<4)),
            quoted: pick(0..<2) == 0 ? quoted : nil, isLiked: [nil, true, false][pick(0..<3)])
    }

    private mutating func store() {
        let post = randomPost()
        if !moments.isEmpty, pick(0..<3) == 0 {
            let moment = moments.remove(at: pick(0..<moments.count))
            cache.store(post, asOf: moment.cache)
            model.store(post, asOf: moment.model)
        } else {
            cache.store(post)
            model.store(post, asOf: model.tick())
        }
    }

    private mutating func list() {
        let ids = Array((0..<6).shuffled(using: &numbers).prefix(pick(0..<4)))
        cache.updateList(Feed.home) { $0 = EntityList(ids) }
        model.list = ids
    }

    private mutating func remove() {
        let id = pick(0..<9)
        cache.remove(Reference<Post>(id))
        model.remove(id)
        // The cache may forget a removal, so this test has no late answers from here on.
        moments = []
    }

    /// Removes all. Moments and changes from before it are used afterwards, and must have no effect.
    private mutating func removeAll() {
        cache.removeAll()
        model.removeAll()
    }

    private mutating func apply(_ step: Int) {
        let id = pick(0..<9)
        let text = "changed \(pick(0..<3))"
        changes.append((cache.apply { $0.update(Reference<Post>(id)) { $0.text = text } }, step))
        model.apply(text, to: id, as: step)
    }

    private mutating func settle() {
        guard !changes.isEmpty else { return }
        let change = changes.remove(at: pick(0..<changes.count))
        if pick(0..<2) == 0 {
            cache.confirm(change.cache)
            if model.confirm(change.model) == nil { moments = [] }
        } else {
            cache.rollBack(change.cache)
            model.rollBack(change.model)
        }
    }

    private mutating func watch(_ step: Int) {
        let watch = ModelWatch(pick(0..<3) == 0 ? nil : pick(0..<9))
        watches[step] = (watch, watch.start(cache))
    }

    private mutating func endWatch() {
        guard let step = watches.keys.sorted().randomElement(using: &numbers) else { return }
        watches.removeValue(forKey: step)?.disposable.dispose()
    }

    /// Takes out of the model what the cache has evicted, which must not be anything that is needed.
    private mutating func forgetEvicted() {
        var needed = Set((model.list ?? []) + model.pendingIDs)
        for (watch, _) in watches.values { needed.formUnion(watch.ids(model)) }
        for id in needed { if let quoted = model.post(id)?.quoted?.id { needed.insert(quoted) } }
        for id in 0..<9 where model.post(id) != nil && cache[Reference<Post>(id)] == nil {
            #expect(!needed.contains(id), "\(id) was evicted although it is needed")
            model.forget(id)
        }
        let authors = Set((0..<9).compactMap { model.post($0)?.author.id })
        for id in 0..<4 where cache[Reference<Author>("\(id)")] == nil {
            #expect(!authors.contains("\(id)"), "author \(id) was evicted although it is needed")
            model.forgetAuthor("\(id)")
        }
        for id in 0..<9 { #expect(cache[Reference<Post>(id)] == model.post(id)) }
    }
}

/// A watch of a post or of the list, with what it has sent and how often it was run.
private final class ModelWatch: Sendable {
    private struct State {
        var last: [Post] = []
        var expected: [Post]?
        var links: [Int]?
        var runs = 0
        var runsSeen = 0
        var sent = 0
        var sentSeen = 0
    }

    private let state = Locked(State())
    private let id: Int?

    init(_ id: Int?) { self.id = id }

    func start(_ cache: NormalizedCache) -> any Disposable {
        cache.watch { [self] cache -> [Post] in
            state.withLock { $0.runs += 1 }
            guard let id else { return cache.list(Feed.home)?.entities ?? [] }
            return cache[Reference<Post>(id)].map { [$0] } ?? []
        }.startWithValues { [self] posts in
            state.withLock {
                $0.last = posts
                $0.sent += 1
            }
        }
    }

    func ids(_ model: PlainCache) -> [Int] { id.map { [$0] } ?? model.list ?? [] }

    func check(_ model: PlainCache, _ comment: Comment) {
        let expected = ids(model).compactMap(model.post)
        let links = id == nil && model.list == nil ? nil : ids(model).flatMap(model.links)
        let (before, after) = state.withLock { state in
            let before = state
            state.expected = expected
            state.links = links
            state.runsSeen = state.runs
            state.sentSeen = state.sent
            return (before, state)
        }
        #expect(after.last == expected, comment)
        guard let shown = before.expected else { return }
        let runs = after.runs - before.runsSeen
        #expect(after.sent - before.sentSeen == (shown == expected ? 0 : 1), comment)
        // It is run again also when it leads to other entities, none of which is there.
        #expect(runs == (shown == expected ? 0 : 1) || (before.links != links && runs == 1), comment)
    }
}
