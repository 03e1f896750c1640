import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Testing

@Suite("onOwnThread", .onOwnThread)
struct OwnThreadTests {
    @Test("A test runs on one thread of its own, also after it awaited something")
    func staysOnItsThread() async {
        let before = here()
        await Task.yield()
        #expect(here() === before)
    }

    @Test("A test prefers its thread also for the async functions that it calls")
    func preference() async {
        #expect(withUnsafeCurrentTask { $0?.unownedTaskExecutor } != nil)
    }

    @Test("The tasks of a test take their turns on its thread in the order in which they came")
    func order() async {
        let numbers = MutableProperty<[Int]>([])
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<5 { group.addTask { numbers.value.append(number) } }
        }
        #expect(numbers.value == [0, 1, 2, 3, 4])
    }

    @Test("Each case of a test that awaits nothing has a thread for itself", arguments: 0..<2)
    func synchronous(_ number: Int) { beAlone() }

    @Test("A case that has the trait of its suite and its own has one thread", .onOwnThread, arguments: 0..<2)
    func twice(_ number: Int) { beAlone() }

    @Test("A scope within another one stays on its thread")
    func nested() async throws {
        let test = try #require(Test.current)
        let thread = ObjectIdentifier(here())
        try await OwnThread.onOwnThread.provideScope(for: test, testCase: Test.Case.current) {
            #expect(ObjectIdentifier(here()) == thread)
        }
    }

    private func here() -> Thread { Thread.current }

    private func beAlone() {
        let key = "OwnThreadTests"
        #expect(here().stackSize == 8 << 20)
        #expect(here().threadDictionary[key] == nil, "another case ran on this thread")
        here().threadDictionary[key] = true
    }
}

@Suite("onOwnThread, among other tests")
struct OwnThreadTurnTests {
    private let trait: OwnThread = .onOwnThread

    @Test("The scope is provided for each case, not for a suite nor for a test with all its cases")
    func scope() throws {
        let test = try #require(Test.current)
        #expect(trait.scopeProvider(for: test, testCase: nil) == nil)
        #expect(trait.scopeProvider(for: test, testCase: Test.Case.current) != nil)
        #expect(trait.isRecursive)
    }

    @Test("Two run for each core, then others in the order in which they asked, and all turns are free at the end")
    func twoForEachCore() async throws {
        let test = try #require(Test.current)
        let testCase = Test.Case.current
        let count = 2 * ProcessInfo.processInfo.activeProcessorCount
        for _ in 0..<2 {
            let log = MutableProperty<[String]>([])
            let holds = (0..<count).map { _ in AsyncStream<Void>.makeStream() }
            // Detached: a test that has a turn already would not wait for another.
            let running = holds.map { hold in
                Task.detached {
                    try await trait.provideScope(for: test, testCase: testCase) {
                        log.modify { $0.append("runs") }
                        for await _ in hold.stream {}
                        log.modify { $0.append("ends") }
                    }
                }
            }
            // The tests with this trait that have asked before run before, however long they take.
            await eventually("all run", within: .seconds(3600)) { log.value.count == count }
            let inOrder = QueueExecutor()
            let others = (1...3).map { number in
                Task.detached(executorPreference: inOrder) {
                    log.modify { $0.append("asks") }
                    try await trait.provideScope(for: test, testCase: testCase) {
                        log.modify { $0.append("\(number) runs") }
                    }
                }
            }
            await eventually("others ask") { log.value.suffix(3) == ["asks", "asks", "asks"] }
            // Without their turns they would run now.
            for _ in 0..<200 { await Task.yield() }
            #expect(log.value.last == "asks")
            holds[0].continuation.finish()
            for task in others { try await task.value }
            #expect(log.value.suffix(4) == ["ends", "1 runs", "2 runs", "3 runs"])
            for hold in holds { hold.continuation.finish() }
            for task in running { try await task.value }
        }
    }
}

/// Runs jobs in the order in which they come.
private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "OwnThreadTurnTests")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
