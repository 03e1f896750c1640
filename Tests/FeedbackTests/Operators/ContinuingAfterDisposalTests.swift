import Feedback
import FeedbackTesting
import Testing

struct ContinuingAfterDisposalTests {
    @Test("Work goes on when the producer is disposed of, but its events are dropped")
    func disposal() {
        let work = Stub<Int, String, TestError>()
        let events = MutableProperty<[SignalEvent<String, TestError>]>([])
        let start = work(1).continuingAfterDisposal().start { event in events.modify { $0.append(event) } }
        start.dispose()
        #expect(events.value == [.interrupted])
        #expect(work.waitingCount == 1)
        work.answer("late")
        #expect(work.waitingCount == 0)
        #expect(events.value == [.interrupted])
    }

    @Test("The events of work that nobody disposes of pass unchanged")
    func passing() {
        let work = Stub<Int, String, TestError>()
        let events = MutableProperty<[SignalEvent<String, TestError>]>([])
        let producer = work(1).continuingAfterDisposal()
        producer.start { event in events.modify { $0.append(event) } }
        work.answer("done")
        producer.start { event in events.modify { $0.append(event) } }
        work.fail(.first)
        #expect(events.value == [.value("done"), .completed, .failed(.first)])
    }
}
