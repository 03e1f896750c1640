import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("Threads and the normalized cache", .onOwnThread)
struct CacheConcurrencyTests {
    @Test("Eight threads that store, change, remove, evict and watch leave every watch with the present")
    func eightThreads() async {
        let cache = NormalizedCache(limits: CacheLimits(count: 50, unwatchedLists: 3))
        let emissions = (0..<8).map { _ in Emissions<Post?>() }
        let disposables = (0..<8).map { id in
            cache.watch(Reference<Post>(id)).startWithValues { post in emissions[id].append(post) }
        }
        await onThreads(8) { thread in
            for round in 0..<300 {
                let id = (thread + round) % 8
                cache.store(
                    Post(
                        id: id, text: "\(thread) \(round)", author: Author(id: "\(round % 5)", name: "\(round)"),
                        quoted: Post(id: 100 + round % 60)))
                let change = cache.apply { $0.update(Reference<Post>(id)) { $0.isLiked = round % 2 == 0 } }
                let short = cache.watch(Feed.author("\(thread)")).startWithValues { _ in }
                cache.updateList(Feed.author("\(round % 6)")) { $0.prepend([id], hasMore: false) }
                if round % 3 == 0 { cache.rollBack(change) } else { cache.confirm(change) }
                short.dispose()
                if round % 17 == 0 { cache.remove(Reference<Post>(id)) }
                if round % 61 == thread { cache.removeAll() }
            }
        }
        for (id, emissions) in emissions.enumerated() {
            // The rest may be delivered on another thread.
            await eventually("post \(id) is shown as it is") { emissions.all.last == .some(cache[Reference<Post>(id)]) }
            let values = emissions.all
            for (value, next) in zip(values, values.dropFirst()) { #expect(value != next) }
        }
        for disposable in disposables { disposable.dispose() }
    }

    @Test("All watches see the changes in one order")
    func oneOrder() async {
        let cache = NormalizedCache()
        let pairs = (0..<8).map { _ in Emissions<[Int]>() }
        let disposables = pairs.map { pairs in
            cache.watch([Reference<Author>("x"), Reference<Author>("y")])
                .startWithValues { authors in pairs.append(authors.compactMap { Int($0.name) }) }
        }
        // Each change has a number of its own.
        await onThreads(8) { thread in
            for round in 0..<500 {
                cache.store(["x", "y"].map { Author(id: $0, name: "\(thread * 1000 + round)") })
            }
        }
        let last = cache[Reference<Author>("x")].flatMap { Int($0.name) }
        await eventually("all watches have the last change") { pairs.allSatisfy { $0.all.last?.first == last } }
        let seen = pairs.map(\.all)
        #expect(seen.allSatisfy { $0.dropFirst().allSatisfy { $0.count == 2 && $0[0] == $0[1] } })
        let orders = seen.map { $0.compactMap(\.first) }
        for order in orders {
            for other in orders {
                let common = Set(order).intersection(other)
                #expect(order.filter(common.contains) == other.filter(common.contains))
            }
            // Each thread's own changes come in the order in which it made them.
            for thread in 0..<8 {
                let own = order.filter { $0 / 1000 == thread }
                #expect(own == own.sorted())
            }
        }
        for disposable in disposables { disposable.dispose() }
    }

    @Test("A writer itself tells all watches that its change concerns, however slow they are")
    func ownWatches() {
        let cache = NormalizedCache()
        let threads = Locked<[ObjectIdentifier]>([])
        let disposables = (0..<4).map { _ in
            cache.watch(Reference<Author>("x")).startWithValues { author in
                guard author != nil else { return }
                threads.withLock { $0.append(thisThread()) }
                // What comes later is left to another thread after 50 ms.
                let start = ContinuousClock.now
                while start.duration(to: .now) < .milliseconds(51) {}
            }
        }
        cache.store(Author(id: "x"))
        #expect(threads.withLock { $0 } == Array(repeating: thisThread(), count: 4))
        for disposable in disposables { disposable.dispose() }
    }

    @Test("A writer leaves what comes of its change to another thread after a while")
    func leftToQueue() async {
        let cache = NormalizedCache()
        let own = thisThread()
        let others = Locked<Set<ObjectIdentifier>>([])
        let start = ContinuousClock.now
        let disposable = cache.watch(Reference<Author>("x")).startWithValues { _ in
            let thread = thisThread()
            if thread != own { others.withLock { _ = $0.insert(thread) } }
            // Each value brings the next one. A minute allows for a busy machine.
            guard thread == own, start.duration(to: .now) < .seconds(60) else { return }
            cache.update(Reference<Author>("x")) { $0.name = $0.name == "" ? "x" : "" }
        }
        cache.store(Author(id: "x"))
        await eventually("another thread has delivered") { others.withLock { !$0.isEmpty } }
        disposable.dispose()
    }

    @Test("A writer does not deliver for others for ever")
    func noUnluckyWriter() {
        let cache = NormalizedCache()
        let isOver = Locked(false)
        let disposable = cache.watch(Reference<Author>("x")).startWithValues { _ in
            var sum = 0
            for number in 0..<20_000 { sum &+= number }
            withExtendedLifetime(sum) {}
        }
        let longest = Locked(Duration.zero)
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
            while !isOver.withLock({ $0 }) {
                cache.update(Reference<Author>("x")) { $0.name = $0.name.count > 9 ? "" : $0.name + "." }
            }
        }
        cache.store(Author(id: "x"))
        for _ in 0..<50 {
            let time = ContinuousClock().measure { cache.store(Author(id: "x", name: "!")) }
            longest.withLock { $0 = max($0, time) }
        }
        isOver.withLock { $0 = true }
        group.wait()
        // Without a limit it would last as long as the other thread writes. A minute allows for a busy machine.
        #expect(longest.withLock { $0 } < .seconds(60))
        disposable.dispose()
    }
}

private func thisThread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }
