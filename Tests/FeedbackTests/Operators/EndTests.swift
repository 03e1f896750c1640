import Feedback
import FeedbackTesting
import Testing

@Suite("Ends that come early or late")
struct EndTests {
    @Test("timeout(perValue:) fails when the first value does not come in time")
    func firstValue() {
        let scheduler = TestScheduler()
        let recorder = Producer<Int>.never.timeout(perValue: .seconds(1), raising: .first, on: scheduler).recorded()
        scheduler.advance(by: .seconds(2))
        #expect(recorder.events == [.failed(.first)])
    }

    @Test("An observation that is disposed while the end is delivered to others is interrupted")
    func disposedAtTheEnd() {
        let (signal, input) = Pipe<Int>.pipe()
        let second = Shared<(any Disposable)?>(nil)
        signal.observe { event in if event.isTerminating { second.value?.dispose() } }
        let (recorder, disposable) = signal.producer.recording()
        second.value = disposable
        input.sendCompleted()
        #expect(recorder.events == [.interrupted])
    }

    @Test("Disposing the producer of a derived property interrupts its observer")
    func derivedProperty() {
        let property = MutableProperty(1)
        let (recorder, disposable) = property.map { $0 + 1 }.producer.recording()
        disposable.dispose()
        property.value = 2
        #expect(recorder.events == [.value(2), .interrupted])
    }

    @Test("An effect that comes after the loop has stopped does not start")
    func effectAfterStop() {
        let output = Shared<FeedbackOutput<Int>?>(nil)
        let starts = Shared(0)
        let loop = FeedbackLoop<Int, Int>(
            initial: 0, reduce: { $0 += $1 },
            feedbacks: [
                .custom { _, its in
                    output.value = its
                    return AnyDisposable()
                }
            ])
        loop.start()
        loop.stop()
        let recorder = output.value.map {
            SignalProducer<Int, NoError>(value: 1).on(starting: { starts.value += 1 }).enqueue(to: $0).recorded()
        }
        #expect(starts.value == 0)
        #expect(recorder?.end == .interrupted)
    }
}
