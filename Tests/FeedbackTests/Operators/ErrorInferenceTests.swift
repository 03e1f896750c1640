import Feedback
import FeedbackTesting
import Testing

// That these tests compile is the greater part of them: no type of an error is written where a stream begins.
@Suite("A producer whose error is not written")
struct ErrorInferenceTests {
    private let scheduler = TestScheduler()

    private func fetch(_ number: Int) -> SignalProducer<String, TestError> {
        number > 0 ? SignalProducer(value: "\(number)") : SignalProducer(error: .first)
    }

    @Test("It takes the error of the streams that its values are made into")
    func outer() {
        let recorder = SignalProducer([1, 0, 2]).flatMap(.concat) { fetch($0) }.recorded()
        #expect(recorder.events == [.value("1"), .failed(.first)])
        #expect(
            SignalProducer(value: 0).flatMap(.latest, fetch).map { $0 + "!" }.replaceError("?").recorded().values == [
                "?"
            ])
        #expect(SignalProducer([fetch(1), fetch(0)]).flatten(.concat).recorded().events == recorder.events)
    }

    @Test("It does so after operators that leave the error open, as a delay does")
    func delayed() {
        let recorder = SignalProducer(value: 1).delay(.seconds(1), on: scheduler).flatMap(.latest) { fetch($0) }
            .recorded()
        scheduler.advance(by: .seconds(1))
        #expect(recorder.events == [.value("1"), .completed])
    }

    @Test("It takes the error of its replacement, and a replacement that of the producer before it")
    func then() {
        #expect(SignalProducer(value: 1).then(fetch(0)).recorded().events == [.failed(.first)])
        #expect(fetch(0).then(SignalProducer(value: 1)).recorded().events == [.failed(.first)])
    }

    @Test("It takes the error of the stream whose values are made into it")
    func inner() {
        let (signal, input) = Pipe<Int>.pipe()
        let hot = signal.flatMap(.latest) { SignalProducer(value: $0 + 1) }.recorded()
        input.send(value: 1)
        input.send(error: .second)
        #expect(hot.events == [.value(2), .failed(.second)])
        #expect(
            fetch(1).flatMap(.latest) { SignalProducer(value: $0 + "!") }.recorded().events == [
                .value("1!"), .completed,
            ])
    }

    @Test("A stream that cannot fail, of a signal or a property, is still joined with one that can")
    func mixed() {
        #expect(fetch(1).flatMap(.latest) { Property(value: $0) }.recorded().events == [.value("1"), .completed])
        #expect(fetch(1).then(Property(value: 2)).recorded().events == [.value(2), .completed])
        #expect(Property(value: 0).producer.flatMap(.latest) { fetch($0) }.recorded().events == [.failed(.first)])
    }
}
