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

    @Test("Events that are skipped are not asserted, and the next change is described from the state after them")
    func skipping() async {
        let (more, input) = Signal<Int, NoError>.pipe()
        let tester = makeTester(SignalProducer([1, 2]).concat(more.producer))
        tester.skipReceived()
        tester.send(10) { $0 = 13 }
        input.send(value: 20)
        input.send(value: 30)
        await tester.skipReceived(within: .seconds(60))
        input.send(value: 40)
        tester.receive(40) { $0 = 103 }
        input.sendCompleted()
        tester.finish()
    }

    @Test("An event of an async effect is waited for, to skip it")
    func skippingLater() async {
        let tester = LoopTester<Int, Int>(
            initial: 0, reduce: { $0 += $1 },
            feedbacks: [Feedback(firstValueAfterNil: { $0 == 0 ? 5 : nil }) { (number: Int) async -> Int? in number }])
        await tester.skipReceived(within: .seconds(60))
        tester.send(1) { $0 = 6 }
        tester.finish()
    }

    @Test("If there is no event to skip, the test fails")
    func nothingToSkip() async {
        let messages = await failures {
            let tester = makeTester(.empty)
            tester.skipReceived()
            await tester.skipReceived(within: .zero)
            tester.finish()
        }
        #expect(
            messages == [
                "Expected an event from an effect, but no effect has sent an event. No effect runs.",
                "Expected an event from an effect, but no effect has sent an event within 0.0 seconds. No effect runs.",
            ])
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
