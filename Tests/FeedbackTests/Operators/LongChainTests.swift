import ColdOperators
import Feedback
import FeedbackTesting
import Testing

private typealias Stream = ColdOperator.Stream
private typealias Failure = ColdOperator.Failure

/// The same stream at the end of three segments of a long chain.
func long<Value: Sendable, Error>(_ stream: SignalProducer<Value, Error>) -> SignalProducer<Value, Error> {
    (0..<100).reduce(stream) { stream, _ in stream.map { $0 } }
}

@Suite("Long chains")
struct LongChainTests {
    /// The source of a stream.
    enum Source: CaseIterable {
        case completing, failing, hot, hotFailing
    }

    /// An observer's reaction to each event.
    enum Reaction: CaseIterable {
        case none, disposes, sends, startsLongChain
    }

    @Test("In a long chain each operator does what it does alone", arguments: ColdOperator.all + ColdOperator.starting)
    func equal(_ operator: ColdOperator) {
        for source in Source.allCases {
            for reaction in Reaction.allCases {
                let alone = Self.events(of: `operator`, source, reaction) { $0 }
                let deep = Self.events(of: `operator`, source, reaction) { long($0) }
                #expect(alone == deep, "\(source), \(reaction)")
            }
        }
    }

    @Test("A long chain that an observer starts is not a part of the one that it observes")
    func nested() {
        for stream in [long(Stream([1, 2])).prefix(value: 0), long(Stream(value: 1)).take(first: 0)] {
            let log = Log<String>()
            long(stream).start { event in
                log.add("\(event)")
                long(Stream(value: 7)).startWithResult { _ in log.add("another") }
                log.add("started")
            }
            #expect(!log.entries.isEmpty && log.entries.count % 3 == 0)
            for place in log.entries.indices where place % 3 == 1 { #expect(log.entries[place] == "another") }
        }
    }

    /// The events that an observer gets, and what it does then.
    private static func events(
        of operator: ColdOperator, _ source: Source, _ reaction: Reaction, in context: (Stream) -> Stream
    ) -> [String] {
        let scheduler = TestScheduler()
        let (signal, input) = Signal<Int, Failure>.pipe()
        // At the first start, as some operators start it again.
        let failures = Shared(1)
        let lastly = Stream { () -> Result<Int, Failure> in
            let isFailing = failures.modify { left in
                defer { left -= 1 }
                return left > 0
            }
            return isFailing ? .failure(Failure()) : .success(9)
        }
        let stream =
            switch source {
            case .completing: Stream([7, 8, 9])
            case .failing: Stream([7, 8]).concat(lastly)
            case .hot, .hotFailing: signal.producer
            }
        let log = Log<String>()
        let start = SerialDisposable()
        context(`operator`.apply(context(stream), scheduler)).startWithSignal { result, interruptHandle in
            start.inner = interruptHandle
            result.observe { event in
                log.add("\(event)")
                switch reaction {
                case .none: break
                case .disposes: start.dispose()
                case .sends: if let value = event.value, value < 20 { input.send(value: value + 10) }
                case .startsLongChain:
                    long(Stream(value: 7)).startWithResult { _ in log.add("another") }
                    log.add("started")
                }
            }
        }
        scheduler.advance()
        input.send(value: 7)
        scheduler.advance()
        input.send(value: 8)
        if source == .hot { input.sendCompleted() } else { input.send(error: Failure()) }
        scheduler.advance()
        return log.entries
    }
}
