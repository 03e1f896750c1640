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
