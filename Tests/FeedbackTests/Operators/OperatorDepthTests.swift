import Feedback
import FeedbackTesting
import Foundation
import Testing

private let count = 10_000
private typealias Stream = SignalProducer<Int, TestError>

/// A cold operator, in a form in which two in a row do what one does.
private struct Operator: Sendable, CustomStringConvertible {
    let name: String
    let apply: @Sendable (Stream, TestScheduler) -> Stream

    init(_ name: String, _ apply: @escaping @Sendable (Stream, TestScheduler) -> Stream) {
        self.name = name
        self.apply = apply
    }

    init(_ name: String, _ apply: @escaping @Sendable (Stream) -> Stream) {
        self.init(name) { stream, _ in apply(stream) }
    }

    /// The name of the function.
    var function: Substring { name.prefix { $0.isLetter } }
    var description: String { name }
}

@Suite("Depth of operators", .onOwnThread)
struct OperatorDepthTests {
    @Test("Ten thousand of a cold operator, with and without maps, do what one does", arguments: operators)
    private func rows(_ operator: Operator) async {
        await onSmallStack {
            for isMixed in [false, true] {
                let one = Self.events(of: `operator`, times: 1, isMixed)
                let many = Self.events(of: `operator`, times: count, isMixed)
                #expect(one == many)
            }
        }
    }

    @Test("A hundred of an operator that starts streams itself fit on a small stack", arguments: starting)
    private func nested(_ operator: Operator) async {
        await onSmallStack {
            let one = Self.events(of: `operator`, times: 1)
            let many = Self.events(of: `operator`, times: 100)
            #expect(one == many)
        }
    }

    @Test("In a long chain, an endless part is cut off, groups get their first value, and nothing follows a disposal")
    func laws() async {
        await onSmallStack {
            let endless = Stream(0...)
            #expect(long(long(Stream(value: 1)).map { $0... }.flatten()).take(first: 3).recorded().values == [1, 2, 3])
            #expect(long(long(Stream(value: 1)).concat(endless)).take(first: 3).recorded().values == [1, 0, 1])
            #expect(long(long(.empty).ifEmpty(switchTo: endless)).take(first: 2).recorded().values == [0, 1])
            #expect(long(long(endless).take(until: SignalProducer<Void, NoError>.never)).first() == .success(0))

            let groups = long(long(Stream([1, 2, 3])).groupBy { $0 % 2 })
            #expect(groups.flatMap(.merge) { $0 }.recorded().events == [.value(1), .value(2), .value(3), .completed])
            let windows = long(long(Stream([1, 2, 3])).window(count: 2)).flatMap(.merge) { $0 }
            #expect(windows.recorded().events == [.value(1), .value(2), .value(3), .completed])

            let tries = Shared(0)
            let failing = Stream { () -> Result<Int, TestError> in
                tries.modify { $0 += 1 }
                return tries.value < 3 ? .failure(.first) : .success(tries.value)
            }
            #expect(long(long(failing).retry(upTo: 2)).recorded().events == [.value(3), .completed])
            tries.value = 0
            let retrying = long(failing).retry(when: { $0.promoteError(TestError.self) })
            #expect(long(retrying).recorded().events == [.value(3), .completed])

            for last in [Stream([1, 2]).take(last: 2), long(Stream([1, 2])).take(last: 2)] {
                let (recorder, start) = (Recorder<Int, TestError>(), SerialDisposable())
                let (signal, input) = Pipe<Int>.pipe()
                start.inner = long(signal.producer.concat(last)).start { event in
                    recorder.record(event)
                    start.dispose()
                }
                input.sendCompleted()
                #expect(recorder.events == [.value(1), .interrupted])
            }
        }
    }

    @Test("Each operator is among those that are tried ten thousand times, or among those of which fewer fit")
    func all() throws {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let folder = here.appending(path: "../../../Sources/Feedback/Operators")
        var names: Set<Substring> = []
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            var isProducer = false
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                if line.hasPrefix("extension ") { isProducer = line.hasPrefix("extension SignalProducer") }
                guard isProducer, let start = line.range(of: "    public func ")?.upperBound else { continue }
                names.insert(line[start...].drop { $0 == "`" }.prefix { $0.isLetter })
            }
        }
        #expect(names.count > 60)
        #expect(names.subtracting((operators + starting).map(\.function)).subtracting(others) == [])
    }

    /// The events of a row of one operator, for a source that delivers at once, and for one that delivers later and is
    /// disposed.
    private static func events(
        of operator: Operator, times: Int, _ isMixed: Bool = false
    ) -> [[SignalEvent<Int, TestError>]] {
        let (signal, input) = Pipe<Int>.pipe()
        return [Stream([7, 8]), signal.producer].enumerated().map { index, source in
            let scheduler = TestScheduler()
            var row = source
            for _ in 0..<times {
                row = `operator`.apply(row, scheduler)
                if isMixed { row = row.map { $0 } }
            }
            let (recorder, disposable) = row.recording()
            scheduler.advance()
            if index == 1 {
                input.send(value: 7)
                scheduler.advance()
                disposable.dispose()
            }
            scheduler.advance()
            return recorder.events
        }
    }
}

/// The same stream at the end of three segments of a long chain.
private func long<Value: Sendable>(_ stream: Producer<Value>) -> Producer<Value> {
    (0..<100).reduce(stream) { stream, _ in stream.map { $0 } }
}

private let property = MutableProperty(false)

private let operators: [Operator] = [
    Operator("attempt") { $0.attempt { _ in .success(()) } },
    Operator("attemptMap") { $0.attemptMap { .success($0) } },
    Operator("collect") { $0.collect().flatten() },
    Operator("collect(count:)") { $0.collect(count: 1).map { $0.first ?? 0 } },
    Operator("combineLatest(with:)") { Stream(value: 1).combineLatest(with: $0).map { $0.1 } },
    Operator("combineLatest(_:)") { Stream.combineLatest([Stream(value: 7), $0]).map { $0[1] } },
    Operator("combinePrevious") { $0.combinePrevious(1).map { $0.1 } },
    Operator("compactMap") { $0.compactMap { $0 } },
    Operator("concat") { $0.concat(.empty) },
    Operator("debounce") { $0.debounce(.zero, on: $1, discardWhenCompleted: false) },
    Operator("delay") { $0.delay(.zero, on: $1) },
    Operator("dematerialize") { $0.materialize().dematerialize() },
    Operator("dematerializeResults") { $0.materializeResults().dematerializeResults() },
    Operator("elementAt") { $0.elementAt(0) },
    Operator("enumerated") { $0.enumerated().map(\.value) },
    Operator("filter") { $0.filter { _ in true } },
    Operator("flatMapError") { $0.flatMapError { Stream(error: $0) } },
    Operator("flatten, of sequences") { $0.map { [$0] }.flatten() },
    Operator("ifEmpty(default:)") { $0.ifEmpty(default: 1) },
    Operator("ifEmpty(switchTo:)") { $0.ifEmpty(switchTo: Stream(value: 1)) },
    Operator("lazyMap") { $0.lazyMap(on: $1) { $0 } },
    Operator("logEvents") { $0.logEvents { _, _, _, _, _ in } },
    Operator("map") { $0.map { $0 } },
    Operator("mapError") { $0.mapError { $0 } },
    Operator("materialize") { $0.materialize().compactMap(\.value).promoteError() },
    Operator("materializeResults") { $0.materializeResults().compactMap { try? $0.get() }.promoteError() },
    Operator("merge") { $0.merge(with: .empty) },
    Operator("observe(on:)") { $0.observe(on: $1) },
    Operator("on(value:)") { $0.on(value: { _ in }) },
    Operator("on(started:)") { $0.on(started: {}) },
    Operator("prefix") { Stream.empty.concat($0) },
    Operator("prefix(value:)") { $0.prefix(value: 1).skip(first: 1) },
    Operator("promoteError") { $0.flatMapError { _ in SignalProducer<Int, NoError>.empty }.promoteError() },
    Operator("promoteValue") { stream in stream.filter { _ in false }.map { _ -> Never in fatalError() }.promoteValue()
    },
    Operator("reduce") { $0.reduce(1) { $1 } },
    Operator("repeat") { $0.repeat(1) },
    Operator("replaceError") { $0.replaceError(1).promoteError() },
    Operator("retry(upTo:)") { $0.retry(upTo: 1) },
    Operator("retry(when:)") { $0.retry(when: { $0.promoteError(TestError.self) }) },
    Operator("sample(with:)") { $0.sample(with: SignalProducer<Int, NoError>(value: 1)).map { $0.0 } },
    Operator("sample(on:)") { $0.sample(on: SignalProducer<Void, NoError>(value: ())) },
    Operator("scan") { $0.scan(1) { $1 } },
    Operator("scanMap") { $0.scanMap(1) { ($1, $1) } },
    Operator("skip(first:)") { $0.skip(first: 0) },
    Operator("skip(while:)") { $0.skip { _ in false } },
    Operator("skip(until:)") { $0.skip(until: SignalProducer<Void, NoError>(value: ())) },
    Operator("skipNil") { $0.map { Optional($0) }.skipNil() },
    Operator("skipRepeats") { $0.skipRepeats() },
    Operator("start(on:)") { $0.start(on: $1) },
    Operator("take(first:)") { $0.take(first: 2) },
    Operator("take(last:)") { $0.take(last: 2) },
    Operator("take(while:)") { $0.take(while: { _ in true }) },
    Operator("take(until:)") { $0.take(until: { _ in true }) },
    Operator("take(until: trigger)") { $0.take(until: SignalProducer<Void, NoError>.never) },
    Operator("take(during:)") { $0.take(during: property.lifetime) },
    Operator("take(untilReplacement:)") { $0.take(untilReplacement: Stream.never) },
    Operator("then") { Stream.empty.then($0) },
    Operator("throttle") { $0.throttle(.zero, on: $1) },
    Operator("throttle(while:)") { $0.throttle(while: property, on: $1) },
    Operator("timeout(after:)") { $0.timeout(after: .seconds(1), raising: .first, on: $1) },
    Operator("timeout(perValue:)") { $0.timeout(perValue: .seconds(1), raising: .first, on: $1) },
    Operator("uniqueValues") { $0.uniqueValues() },
    Operator("withLatest") { $0.withLatest(from: property).map { $0.0 } },
    Operator("zip") { $0.zip(with: Stream([1, 2])).map { $0.0 } },
]

/// Those that deliver or start a stream of their own inside of a delivery or of a start, as a call in a call does.
private let starting: [Operator] = [
    Operator("continuingAfterDisposal") { $0.continuingAfterDisposal() },
    Operator("flatMap(.merge)") { $0.flatMap(.merge) { Stream(value: $0) } },
    Operator("flatMap(.concat)") { $0.flatMap(.concat) { Stream(value: $0) } },
    Operator("flatMap(.latest)") { $0.flatMap(.latest) { Stream(value: $0) } },
    Operator("flatMap(.race)") { $0.flatMap(.race) { Stream(value: $0) } },
    Operator("groupBy") { $0.groupBy { $0 }.map(\.key) },
    Operator("lift") { $0.lift { $0.map { $0 } } },
    Operator("replayLazily") { $0.replayLazily(upTo: 1) },
    Operator("share") { $0.share() },
    Operator("window(count:)") { $0.window(count: 1).scan(6) { sum, _ in sum + 1 } },
]

/// Those that are made of others, and those that start the producer.
private let others: Set<Substring> = [
    "all", "any", "and", "or", "negate", "first", "last", "single", "wait",
]
