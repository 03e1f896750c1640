import FeedbackTesting
import Foundation
import Testing

@Suite("onOwnThread")
struct OwnThreadTests {
    @Test("A test runs on one thread of its own, also after it awaited something", .onOwnThread)
    func staysOnItsThread() async {
        let before = here()
        await Task.yield()
        #expect(here() === before)
    }

    @Test("A test that awaits nothing does, too", .onOwnThread)
    func synchronous() {
        #expect(Thread.current.stackSize == 8 << 20)
    }

    private func here() -> Thread { Thread.current }
}
