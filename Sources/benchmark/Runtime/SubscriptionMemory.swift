import Feedback
import Foundation

/// The memory that a live subscription takes.
enum SubscriptionMemory {
    static let name = "memory of a live subscription, of 100,000"

    /// The bytes in use for each of 100,000 observations of one signal, closures included.
    static func measure() -> Int {
        measure { signal in signal.observeValues { sink.add($0) } }
    }

    /// The same with a `map` and a `filter` between.
    static func measureChain() -> Int {
        measure { signal in signal.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.observeValues { sink.add($0) } }
    }

    private static func measure(_ observe: (Signal<Int, NoError>) -> (any Disposable)?) -> Int {
        let count = 100_000
        let (signal, observer) = Signal<Int, NoError>.pipe()
        var disposables: [(any Disposable)?] = []
        disposables.reserveCapacity(count)
        let before = bytesInUse()
        for _ in 0..<count { disposables.append(observe(signal)) }
        observer.send(value: 1)
        let after = bytesInUse()
        for disposable in disposables { disposable?.dispose() }
        return max(0, after - before) / count
    }

    private static func bytesInUse() -> Int {
        #if os(Linux)
        // The resident pages are the second number.
        let statistics = (try? String(contentsOfFile: "/proc/self/statm", encoding: .ascii)) ?? ""
        let pages = statistics.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
        #elseif canImport(Darwin)
        var statistics = malloc_statistics_t()
        malloc_zone_statistics(nil, &statistics)
        return Int(statistics.size_in_use)
        #else
        return 0
        #endif
    }
}
