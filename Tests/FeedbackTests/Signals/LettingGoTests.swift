import Feedback
import Testing

@Suite("The objects that properties and loops let go of")
struct LettingGoTests {
    /// 8 KB, with a reference inside.
    private struct Large: Sendable {
        typealias Row = (Int, Int, Int, Int, Int, Int, Int, Int)
        typealias Table = (Row, Row, Row, Row, Row, Row, Row, Row)

        var tracked: Tracked
        var number = 0
        var tables:
            (
                Table, Table, Table, Table, Table, Table, Table, Table, Table, Table, Table, Table, Table, Table, Table,
                Table
            )?
    }

    @Test("A property lets go of each large value that it has delivered")
    func largeValues() {
        let census = Tracked.Census()
        let property = MutableProperty(Large(tracked: census.make()))
        let observation = property.signal.observeValues { $0.tracked.touch() }
        for number in 1...3 {
            property.modify {
                $0.number = number
                $0.tracked = census.make()
            }
        }
        #expect(census.living == 1)
        observation?.dispose()
    }

    @Test("A stream that has ended lets go of values that are sent to it all the same")
    func lateValues() {
        let census = Tracked.Census()
        let producer = SignalProducer<Tracked, NoError> { observer, lifetime in
            observer.sendCompleted()
            observer.send(value: census.make())
            observer.send(value: census.make())
            #expect(census.living == 0)
        }
        producer.start()
    }

    @Test("A loop that has started lets go of what its feedbacks were made of")
    func feedbacks() {
        let census = Tracked.Census()
        func feedback() -> Feedback<Int, Int> {
            let tracked = census.make()
            return .custom { _, _ in
                tracked.touch()
                return AnyDisposable()
            }
        }
        let loop = FeedbackLoop<Int, Int>(initial: 0, reduce: { $0 += $1 }, feedbacks: [feedback()])
        #expect(census.living == 1)
        loop.start()
        #expect(census.living == 0)
        loop.stop()
    }
}
