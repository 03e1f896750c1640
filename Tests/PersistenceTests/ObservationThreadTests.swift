import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

/// The threads on which an observer is called, as ``ObservableStore/observe(_:)`` promises them.
@Suite("The threads of observers", .onOwnThread)
struct ObservationThreadTests {
    @Test(
        "The first answer comes on the thread that starts, each later one on the thread that wrote",
        arguments: StoreKind.allCases)
    func threads(_ kind: StoreKind) async throws {
        func check(_ store: some TestedStore) async throws {
            let names = Emissions<String?>()
            let disposables = CompositeDisposable()
            onNamedThread("starter") {
                disposables += store.all().observe().startWithResult { _ in names.append(threadName()) }
            }
            for name in ["writer", "another writer"] {
                onNamedThread(name) { store.upsert(.fixture(title: name)).start() }
            }
            #expect(names.all == ["starter", "writer", "another writer"])
            disposables.dispose()
        }
        try await kind.run { try await check($0) }
    }

    @Test(
        "An observer that is busy is called on a queue, and the writer returns before", arguments: StoreKind.allCases)
    func busy(_ kind: StoreKind) async throws {
        func check(_ store: some TestedStore) async throws {
            let told = Emissions<(titles: [String], thread: String?)>()
            let (isBusy, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let disposable = store.all().observe().map { $0.map(\.title) }.startWithResult { result in
                let titles = (try? result.get()) ?? []
                told.append((titles: titles, thread: threadName()))
                guard titles == ["a"] else { return }
                isBusy.signal()
                mayGoOn.wait()
            }
            await onThreads(2) { thread in
                if thread == 0 {
                    onNamedThread("writer") { store.upsert(.fixture(title: "a")).start() }
                } else {
                    isBusy.wait()
                    onNamedThread("another writer") { store.upsert(.fixture(title: "b")).start() }
                    mayGoOn.signal()
                }
            }
            await eventually("the last answer is told") { told.all.last?.titles == ["b"] }
            #expect(told.all.map(\.titles) == [[], ["a"], ["b"]])
            #expect(told.all.dropFirst().map(\.thread) == ["writer", nil])
            disposable.dispose()
        }
        try await kind.run { try await check($0) }
    }

    @Test(
        "An observer that is busy with its first answer is called on a queue, and the starter returns before",
        arguments: StoreKind.allCases)
    func busyAtFirst(_ kind: StoreKind) async throws {
        func check(_ store: some TestedStore) async throws {
            let told = Emissions<(count: Int, thread: String?)>()
            let (isBusy, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let disposables = CompositeDisposable()
            await onThreads(2) { thread in
                if thread == 0 {
                    onNamedThread("starter") {
                        disposables += store.all().observe().startWithResult { result in
                            told.append((count: (try? result.get())?.count ?? -1, thread: threadName()))
                            guard told.all.count == 1 else { return }
                            isBusy.signal()
                            mayGoOn.wait()
                        }
                    }
                } else {
                    isBusy.wait()
                    onNamedThread("writer") { store.insert(.fixture()).start() }
                    mayGoOn.signal()
                }
            }
            await eventually("the last answer is told") { told.all.count == 2 }
            #expect(told.all.map(\.count) == [0, 1])
            #expect(told.all.map(\.thread) == ["starter", nil])
            disposables.dispose()
        }
        try await kind.run { try await check($0) }
    }

    @Test("A transaction that has undone all its changes tells nothing to an observer that began meanwhile")
    func begunMeanwhile() throws {
        // Two answers cannot be compared, so each one would be told.
        struct Note: Identifiable, Sendable { let id: Int }
        let store = MemoryStore(id: \Note.id)
        let told = Emissions<Int>()
        let disposables = CompositeDisposable()
        try store.transaction { notes throws(StoreError) in
            try? notes.withSavepoint { () throws(StoreError) in
                try notes.insert([Note(id: 1)])
                throw .rolledBack(reason: "no")
            }
            onNamedThread("observer") {
                disposables += store.all().observe().startWithResult { result in
                    told.append((try? result.get())?.count ?? -1)
                }
            }
        }.get()
        #expect(told.all == [0])
        disposables.dispose()
    }

    @Test("An observer that was slow is called on a queue, and no longer delays writes", arguments: StoreKind.allCases)
    func slow(_ kind: StoreKind) async throws {
        func check(_ store: some TestedStore) async throws {
            let told = Emissions<(titles: [String], thread: String?)>()
            let disposable = store.all().observe().map { $0.map(\.title) }.startWithResult { result in
                let titles = (try? result.get()) ?? []
                told.append((titles: titles, thread: threadName()))
                // Longer than the 50 ms that a writer has for it.
                if titles == ["a"] { Thread.sleep(forTimeInterval: 0.06) }
            }
            for title in ["a", "b"] {
                onNamedThread("writer") { store.upsert(.fixture(title: title)).start() }
            }
            await eventually("the last answer is told") { told.all.last?.titles == ["b"] }
            #expect(told.all.dropFirst().map(\.thread) == ["writer", nil])
            disposable.dispose()
        }
        try await kind.run { try await check($0) }
    }
}

/// Runs `body` on a new thread with a name of its own, which ``threadName()`` returns, and waits for it.
private func onNamedThread(_ name: String, _ body: @escaping @Sendable () -> Void) {
    onThreadsBlocking(1) { _ in
        Thread.current.threadDictionary["name"] = name
        body()
    }
}

/// The name of the thread; nil if it is none that a test has made.
private func threadName() -> String? { Thread.current.threadDictionary["name"] as? String }
