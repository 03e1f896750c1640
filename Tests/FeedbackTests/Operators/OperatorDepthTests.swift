import ColdOperators
import Feedback
import FeedbackTesting
import Foundation
import Testing

private let count = 10_000
private typealias Stream = ColdOperator.Stream

@Suite("Depth of operators", .onOwnThread)
struct OperatorDepthTests {
    @Test("Ten thousand of a cold operator, with and without maps, do what one does", arguments: ColdOperator.all)
    private func rows(_ operator: ColdOperator) async {
        await onSmallStack {
            for isMixed in [false, true] {
                let one = Self.events(of: `operator`, times: 1, isMixed)
                let many = Self.events(of: `operator`, times: count, isMixed)
                #expect(one == many)
            }
        }
    }

    @Test("A hundred of an operator that starts streams itself fit on a small stack", arguments: ColdOperator.starting)
    private func nested(_ operator: ColdOperator) async {
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
            let failing = Stream { () -> Result<Int, ColdOperator.Failure> in
                tries.modify { $0 += 1 }
                return tries.value < 3 ? .failure(ColdOperator.Failure()) : .success(tries.value)
            }
            #expect(long(long(failing).retry(upTo: 2)).recorded().events == [.value(3), .completed])
            tries.value = 0
            let retrying = long(failing).retry(when: { $0.promoteError(ColdOperator.Failure.self) })
            #expect(long(retrying).recorded().events == [.value(3), .completed])

            for last in [Stream([1, 2]).take(last: 2), long(Stream([1, 2])).take(last: 2)] {
                let (recorder, start) = (Recorder<Int, ColdOperator.Failure>(), SerialDisposable())
                let (signal, input) = Signal<Int, ColdOperator.Failure>.pipe()
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
        #expect(
            names.subtracting((ColdOperator.all + ColdOperator.starting).map { $0.name.prefix(while: \.isLetter) })
                .subtracting(others) == [])
    }

    /// The events of a row of one operator, for a source that delivers at once, and for one that delivers later and is
    /// disposed.
    private static func events(
        of operator: ColdOperator, times: Int, _ isMixed: Bool = false
    ) -> [[SignalEvent<Int, ColdOperator.Failure>]] {
        let (signal, input) = Signal<Int, ColdOperator.Failure>.pipe()
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

/// Those that are made of others, and those that start the producer.
private let others: Set<Substring> = [
    "all", "any", "and", "or", "negate", "first", "last", "single", "wait",
]
