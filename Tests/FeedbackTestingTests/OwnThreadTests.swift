import Feedback
import FeedbackTesting
import Foundation
import Synchronization
import Testing

@Suite("onOwnThread", .onOwnThread)
struct OwnThreadTests {
    private static let running = Atomic(0)

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

    @Test("A test that awaits nothing does, too, and no other one runs meanwhile", arguments: 0..<2)
    func synchronous(_ number: Int) { beAlone() }

    @Test("A test that has the trait of its suite and its own takes one turn", .onOwnThread, arguments: 0..<2)
    func twice(_ number: Int) { beAlone() }

    private func here() -> Thread { Thread.current }

    private func beAlone() {
        #expect(Self.running.wrappingAdd(1, ordering: .relaxed).newValue == 1)
        #expect(here().stackSize == 8 << 20)
        usleep(1_000)
        Self.running.wrappingSubtract(1, ordering: .relaxed)
    }
}

@Suite("onOwnThread, among other tests")
struct OwnThreadTurnTests {
    private let log = MutableProperty<[String]>([])
    private let trait: OwnThread = .onOwnThread

    @Test("The scope is provided for a test with all its cases, not for a suite and not for each case")
    func scope() throws {
        let test = try #require(Test.current)
        #expect(trait.scopeProvider(for: test, testCase: nil) != nil)
        #expect(trait.scopeProvider(for: test, testCase: Test.Case.current) == nil)
        #expect(trait.isRecursive)
    }

    @Test("One test runs at a time, in the order in which they asked, and the turn is free after the last")
    func oneAtATime() async throws {
        let test = try #require(Test.current)
        let hold = AsyncStream<Void>.makeStream()
        // Detached: a test that has a turn already would not wait for another.
        let first = Task.detached {
            try await trait.provideScope(for: test, testCase: nil) {
                log.value.append("first begins")
                for await _ in hold.stream {}
                log.value.append("first ends")
            }
        }
        // The tests with this trait that have asked before run before, however long they take.
        await eventually("the first test runs", within: .seconds(3600)) { log.value == ["first begins"] }
        let second = Task.detached {
            log.value.append("second asks")
            try await trait.provideScope(for: test, testCase: nil) { log.value.append("second runs") }
        }
        await eventually("the second test asks") { log.value.count > 1 }
        // Without its turn the second one would run now.
        for _ in 0..<200 { await Task.yield() }
        hold.continuation.finish()
        try await first.value
        try await second.value
        #expect(log.value == ["first begins", "second asks", "first ends", "second runs"])

        try await Task.detached {
            try await trait.provideScope(for: test, testCase: nil) { log.value.append("third runs") }
        }.value
        #expect(log.value.last == "third runs")
    }
}
