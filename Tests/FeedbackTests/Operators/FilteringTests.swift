import Feedback
import Testing

@Suite("filter, compactMap, skipNil, skipRepeats, uniqueValues")
struct FilteringTests {
    @Test("filter delivers what is accepted")
    func filter() {
        #expect(
            Producer(0..<6).filter { $0.isMultiple(of: 2) }.recorded().events
                == [.value(0), .value(2), .value(4), .completed])
    }

    @Test("compactMap delivers what was made, skipNil what is not nil")
    func compactMap() {
        #expect(Producer(values: "1", "x", "3").compactMap { Int($0) }.recorded().values == [1, 3])
        #expect(Producer<Int?>([1, nil, 3]).skipNil().recorded().events == [.value(1), .value(3), .completed])
    }

    @Test("skipRepeats delivers what differs from the value before")
    func skipRepeats() {
        #expect(Producer([1, 1, 2, 2, 1]).skipRepeats().recorded().values == [1, 2, 1])
        let parities = Producer([1, 3, 2, 4]).skipRepeats { $0 % 2 == $1 % 2 }.recorded()
        #expect(parities.values == [1, 2])
        #expect(Producer<Int?>([nil, nil, 1]).skipRepeats().recorded().values == [nil, 1])
    }

    @Test("uniqueValues delivers what was not delivered before")
    func uniqueValues() {
        #expect(Producer([1, 2, 1, 3, 2]).uniqueValues().recorded().values == [1, 2, 3])
        #expect(Producer(["a", "bb", "c"]).uniqueValues { $0.count }.recorded().values == ["a", "bb"])
    }

    @Test("Each start begins afresh")
    func restart() {
        let producer = Producer([1, 1]).skipRepeats().uniqueValues()
        #expect(producer.recorded().values == [1])
        #expect(producer.recorded().values == [1])
    }

    @Test("Hot streams are filtered too, and share the state among their observers")
    func hot() {
        let (signal, input) = Signal<Int?, TestError>.pipe()
        let values = signal.skipNil().filter { $0 > 0 }.skipRepeats().uniqueValues().compactMap { $0 == 9 ? nil : $0 }
        let early = values.recorded()
        input.send(value: 1)
        let late = values.recorded()
        for value in [1, nil, 0, 2, 9, 1] { input.send(value: value) }
        input.sendInterrupted()
        #expect(early.events == [.value(1), .value(2), .interrupted])
        #expect(late.events == [.value(2), .interrupted])
    }

    @Test("A failure passes")
    func failure() {
        let failing = Producer(value: 1).concat(error: .first)
        #expect(failing.filter { _ in false }.skipRepeats().recorded().events == [.failed(.first)])
    }
}
