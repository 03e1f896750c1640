#if canImport(CMalloc)
import CMalloc
#endif
import Feedback
import Foundation

/// A measurement of the memory that a live subscription takes.
struct SubscriptionMemory: Sendable {
    typealias Observe = @Sendable (Signal<Int, NoError>) -> (any Disposable)?

    let name: String
    let goal: Goal
    let observe: Observe

    static let all = [
        SubscriptionMemory(name: "memory of a live subscription, of 100,000", goal: .bytes(300)) { signal in
            signal.observeValues { sink.add($0) }
        },
        SubscriptionMemory(name: "memory of the same, with map and filter, hot", goal: .bytes(500)) { signal in
            signal.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.observeValues { sink.add($0) }
        },
    ]

    /// Measures the bytes in use for each of 100,000 observations of one signal, closures included.
    func run() -> Outcome {
        let count = 100_000
        let (signal, observer) = Signal<Int, NoError>.pipe()
        var disposables: [(any Disposable)?] = []
        disposables.reserveCapacity(count)
        let before = Self.bytesInUse()
        for _ in 0..<count { disposables.append(observe(signal)) }
        observer.send(value: 1)
        let bytes = max(0, Self.bytesInUse() - before) / count
        for disposable in disposables { disposable?.dispose() }
        return Outcome(
            name: name, unit: "subscription", bytes: bytes, goal: goal.description,
            isReached: goal.isReached(bytes: bytes))
    }

    /// Returns the bytes that the allocator has given out, not those that it has from the system.
    private static func bytesInUse() -> Int {
        #if canImport(CMalloc)
        let statistics = mallinfo2()
        return Int(statistics.uordblks + statistics.hblkhd)
        #elseif canImport(Darwin)
        var statistics = malloc_statistics_t()
        malloc_zone_statistics(nil, &statistics)
        return Int(statistics.size_in_use)
        #else
        return 0
        #endif
    }
}
