import Feedback
import Testing

@Suite("map, mapError, promoteError, promoteValue")
struct TransformingTests {
    struct City: Equatable { var name: String }

    @Test("map transforms each value, by a closure, a key path or a constant")
    func map() {
        let numbers = Producer(values: 1, 2, 3)
        #expect(numbers.map { $0 * 2 }.recorded().events == [.value(2), .value(4), .value(6), .completed])
        #expect(numbers.map(value: "x").recorded().values == ["x", "x", "x"])
        #expect(Producer(value: City(name: "Oslo")).map(\.name).recorded().values == ["Oslo"])
        let keyPath: KeyPath<City, String> & Sendable = \.name
        #expect(Producer(value: City(name: "Bern")).map(keyPath).recorded().values == ["Bern"])
    }

    @Test("Hot streams are mapped too")
    func hot() {
        let (signal, input) = Signal<City, TestError>.pipe()
        let names = signal.map(\.name).recorded()
        let lengths = signal.map { $0.name.count }.recorded()
        let constants = signal.map(value: 0).recorded()
        input.send(value: City(name: "Rome"))
        input.send(error: .first)
        #expect(names.events == [.value("Rome"), .failed(.first)])
        #expect(lengths.events == [.value(4), .failed(.first)])
        #expect(constants.events == [.value(0), .failed(.first)])
    }

    @Test("mapError transforms the error and nothing else")
    func mapError() {
        let failing = Producer(value: 1).concat(error: .first)
        #expect(failing.mapError { _ in TestError.second }.recorded().events == [.value(1), .failed(.second)])
        #expect(Producer(value: 1).mapError { _ in TestError.second }.recorded().events == [.value(1), .completed])
        let (signal, input) = Pipe<Int>.pipe()
        let recorder = signal.mapError { _ in TestError.second }.recorded()
        input.send(error: .first)
        #expect(recorder.events == [.failed(.second)])
    }

    @Test("promoteError gives a stream the error type that is needed")
    func promoteError() {
        let producer: SignalProducer<Int, TestError> = SignalProducer<Int, NoError>(value: 1).promoteError()
        #expect(producer.recorded().events == [.value(1), .completed])
        let (signal, input) = Signal<Int, NoError>.pipe()
        let recorder = signal.promoteError(TestError.self).recorded()
        input.sendInterrupted()
        #expect(recorder.events == [.interrupted])
    }

    @Test("promoteValue gives a stream without values the value type that is needed")
    func promoteValue() {
        let producer: SignalProducer<Int, TestError> = SignalProducer<Never, TestError>(error: .first).promoteValue()
        #expect(producer.recorded().events == [.failed(.first)])
        let (signal, input) = Signal<Never, TestError>.pipe()
        let recorder = signal.promoteValue(Int.self).recorded()
        input.sendCompleted()
        #expect(recorder.events == [.completed])
    }

    @Test("Disposal in the middle interrupts, and nothing follows")
    func disposal() {
        let handle = SerialDisposable()
        let recorder = Recorder<Int, NoError>()
        let (signal, input) = Signal<Int, NoError>.pipe()
        handle.inner = signal.producer.map { $0 + 1 }.start { event in
            recorder.record(event)
            if event.value == 2 { handle.dispose() }
        }
        input.send(value: 0)
        input.send(value: 1)
        input.send(value: 2)
        #expect(recorder.events == [.value(1), .value(2), .interrupted])
    }
}
