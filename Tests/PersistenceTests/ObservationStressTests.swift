import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Synchronization
import Testing

@Suite("Observation under load")
struct ObservationStressTests {
    /// The number of seconds for which the writers write; `PERSISTENCE_SECONDS` raises it.
    static let seconds = ProcessInfo.processInfo.environment["PERSISTENCE_SECONDS"].flatMap(Double.init) ?? 1.5

    @Test(
        "With a slow observer and four writers, memory stays flat, and the last state is told", .onOwnThread,
        .serialized, arguments: StoreKind.allCases)
    func slowObserver(_ kind: StoreKind) async {
        // In a process of its own: other tests use memory meanwhile.
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { [kind] in
            try kind.run { try ObservationStressTests.observeSlowly($0) }
        }
        // The longest time is that of the store alone only if the machine does nothing else.
        guard ProcessInfo.processInfo.environment["PERSISTENCE_SECONDS"] != nil, let result else { return }
        let output = String(decoding: result.standardOutputContent, as: UTF8.self)
        print(output, terminator: "")
        let slowest = output.firstMatch(of: /slowest write ([0-9]+) ms/).flatMap { Int($0.output.1) }
        #expect(slowest.map { $0 < 100 } == true, "\(output)")
    }

    private static func observeSlowly(_ store: some TestedStore) throws {
        try store.insert((0..<1_000).map { .fixture(id: $0, budget: 0) }).get()
        let told = Emissions<Int>()
        let disposable = store.all().observe().startWithResult { result in
            guard case .success(let films) = result else { return }
            Thread.sleep(forTimeInterval: 0.06)
            told.append(films.reduce(0) { $0 + $1.budget })
        }
        let memory = residentMegabytes()
        let writes = Atomic(0)
        let slowest = Locked(Duration.zero)
        let end = ContinuousClock.now + .seconds(seconds)
        // Threads, since a queue would run as many writers at a time as there are cores.
        let group = DispatchGroup()
        for writer in 0..<4 {
            group.enter()
            Thread.detachNewThread {
                var number = 0
                while ContinuousClock.now < end {
                    let start = ContinuousClock.now
                    store.upsert(.fixture(id: writer, budget: number)).start()
                    let time = ContinuousClock.now - start
                    slowest.withLock { $0 = max($0, time) }
                    writes.add(1, ordering: .relaxed)
                    number += 1
                }
                group.leave()
            }
        }
        group.wait()
        let last = try store.all().sum(\.budget).get()
        awaitEmissions(told) { $0.last == last }
        disposable.dispose()
        // Each answer takes 60 ms, so there are far fewer answers than writes.
        #expect(Double(told.all.count) < seconds / 0.06 + 10)
        #expect(writes.load(ordering: .relaxed) > told.all.count)
        // AddressSanitizer keeps freed memory for a while.
        if dlsym(nil, "__asan_init") == nil { #expect(residentMegabytes() - memory < 60) }
        let milliseconds = Int(slowest.withLock { $0 } / .milliseconds(1))
        print(
            "\(type(of: store)): \(writes.load(ordering: .relaxed)) writes, slowest write \(milliseconds) ms, "
                + "\(memory) → \(residentMegabytes()) MB, \(told.all.count) told")
        fflush(nil)
    }

    @Test("Readers that never rest do not let the write-ahead log grow without end", .onOwnThread)
    func log() throws {
        let folder = try TemporaryFolder()
        var configuration = SQLiteDatabase.Configuration()
        configuration.waitsForDisk = false
        let films = try SQLiteStore(
            Film.schema, in: SQLiteDatabase(.file(folder.path("films.sqlite")), configuration: configuration))
        // Few films, so that a read is short also under a sanitizer: a checkpoint waits 50 ms for the readers before it.
        try films.insert((0..<200).map { .fixture(id: $0, poster: Data(count: 1_000)) }).get()
        let isDone = Atomic(false)
        let group = DispatchGroup()
        for _ in 0..<4 {
            DispatchQueue.global().async(group: group) {
                while !isDone.load(ordering: .relaxed) { films.all().result().start() }
            }
        }
        for round in 0..<1_500 {
            try films.upsert((0..<10).map { .fixture(id: ($0 + round * 10) % 200, poster: Data(count: 1_000)) }).get()
        }
        isDone.store(true, ordering: .relaxed)
        group.wait()
        let size = try FileManager.default.attributesOfItem(atPath: folder.path("films.sqlite-wal"))[.size] as? Int
        #expect(try #require(size) < 40_000_000)
    }
}
