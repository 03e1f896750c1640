import Feedback
import FeedbackTesting
import Testing

@Suite("The events that a tester receives")
struct ReceivingTests {
    private func makeTester(_ effect: SignalProducer<Int, NoError>) -> LoopTester<Int, Int> {
        LoopTester(
            initial: 0, reduce: { $0 += $1 },
            feedbacks: [Feedback(whenBecomesTrue: { _ in true }, effects: { _ in effect }, name: "counting")])
    }

    private func failures(_ body: () async -> Void) async -> [String] {
        let messages = Locked<[String]>([])
        await withKnownIssue {
            await body()
        } matching: { issue in
            messages.withLock { $0 += issue.comments.map(\.rawValue) }
            return true
        }
        return messages.withLock { $0 }
    }

    @Test("They are received in the order in which they were reduced, also where the test waits for them")
    func order() async {
        let tester = makeTester(SignalProducer([1, 2, 3]))
        tester.receive(1) { $0 = 1 }
        await tester.receive(2, within: .seconds(60)) { $0 = 3 }
        tester.receive(where: { $0 == 3 }) { $0 = 6 }
        tester.finish()
    }

    @Test("One that does not match fails the test with its text and its source, and counts as received")
    func noMatch() async {
        let atOnce = await failures {
            let tester = makeTester(SignalProducer(value: 1))
            tester.receive(where: { $0 == 2 }) { $0 = 1 }
            tester.finish()
        }
        let later = await failures {
            let tester = makeTester(SignalProducer(value: 1))
            await tester.receive(where: { $0 == 2 }, within: .seconds(60)) { $0 = 1 }
            tester.finish()
        }
        #expect(atOnce == ["The next event, from counting #1, does not match: 1"] && later == atOnce)
    }

    @Test("An event that is sent while others were not received fails the test once, and is asserted all the same")
    func pending() async {
        let messages = await failures {
            let tester = makeTester(SignalProducer([1, 2]))
            tester.send(10) { $0 = 13 }
            tester.send(20) { $0 = 33 }
            tester.finish()
        }
        let events = "  1, from counting #1\n  2, from counting #1"
        #expect(messages == ["These events were not asserted before sending 10:\n\n\(events)"])
    }

    @Test("A stopped tester refuses events")
    func stopped() async {
        let messages = await failures {
            let tester = makeTester(.never)
            tester.skipTheRest()
            tester.send(1)
        }
        #expect(messages == ["The loop has stopped, and refused the event 1."])
    }

    @Test("Nothing is waited for if the loop has nothing to do", .onOwnThread)
    func quick() {
        let start = ContinuousClock.now
        let tester = makeTester(SignalProducer(value: 1))
        tester.receive(1) { $0 = 1 }
        tester.send(2) { $0 = 3 }
        tester.finish()
        // An event that another thread is about to reduce gets ten seconds.
        #expect(ContinuousClock.now - start < .seconds(10))
    }
}
