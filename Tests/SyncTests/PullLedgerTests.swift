import Testing

@testable import Sync

struct PullLedgerTests {
    @Test("A pull knows the objects of the answers since it has begun")
    func notes() {
        var ledger = PullLedger()
        let first = ledger.begin()
        ledger.note(["a"])
        let second = ledger.begin()
        ledger.note(["b"])
        #expect(ledger.end(first) == ["a", "b"])
        #expect(ledger.end(second) == ["b"])
        #expect(ledger.end(second).isEmpty)
    }

    @Test("The objects of an answer concern the pulls that began before its request")
    func merged() {
        var ledger = PullLedger()
        let pulls = [ledger.begin(), ledger.begin(), ledger.begin()]
        ledger.note(["a"], mergedBy: pulls[1], isPage: false)
        #expect(pulls.map { ledger.end($0) } == [["a"], [], []])
    }

    @Test("A page is not merged after one that was asked for later")
    func pages() {
        var ledger = PullLedger()
        let pages = [ledger.begin(), ledger.begin(), ledger.begin(), ledger.begin()]
        ledger.note(["a"], mergedBy: pages[1])
        ledger.note(["b"], mergedBy: pages[0])
        ledger.note(["c"], mergedBy: pages[3] + 1, isPage: false)
        #expect(ledger.endPage(pages[0]) == nil && ledger.endPage(pages[1]) == nil)
        #expect(ledger.endPage(pages[2]) == ["c"])
        #expect(ledger.endPage(pages[2]) == nil)
        #expect(ledger.endPage(pages[3]) == ["c"])
    }

    @Test("A pull that was cancelled is no longer noted")
    func cancelled() {
        var ledger = PullLedger()
        let (pull, other) = (ledger.begin(), ledger.begin())
        ledger.cancel(pull)
        ledger.note(["a"])
        #expect(ledger.end(pull).isEmpty && ledger.endPage(pull) == nil)
        #expect(ledger.end(other) == ["a"])
    }
}
