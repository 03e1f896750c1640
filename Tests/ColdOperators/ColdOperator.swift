import Feedback

/// A cold operator, in a form in which two in a row do what one does.
public struct ColdOperator: Sendable, CustomStringConvertible {
    /// A stream of numbers to which the operators can be applied.
    public typealias Stream = SignalProducer<Int, Failure>

    /// The error of these streams.
    public struct Failure: Error, Equatable {
        public init() {}
    }

    /// The name of the function, and of its parameters.
    public let name: String
    /// Applies the operator; what is delivered on a scheduler is delivered on this one.
    public let apply: @Sendable (Stream, any DateScheduler) -> Stream

    init(_ name: String, _ apply: @escaping @Sendable (Stream, any DateScheduler) -> Stream) {
        self.name = name
        self.apply = apply
    }

    init(_ name: String, _ apply: @escaping @Sendable (Stream) -> Stream) {
        self.init(name) { stream, _ in apply(stream) }
    }

    public var description: String { name }
}

private typealias Stream = ColdOperator.Stream
private typealias Failure = ColdOperator.Failure
private let property = MutableProperty(false)

extension ColdOperator {
    /// Those of which any number can stand in a row.
    public static let all: [ColdOperator] = [
        ColdOperator("attempt") { $0.attempt { _ in .success(()) } },
        ColdOperator("attemptMap") { $0.attemptMap { .success($0) } },
        ColdOperator("collect") { $0.collect().flatten() },
        ColdOperator("collect(count:)") { $0.collect(count: 1).map { $0.first ?? 0 } },
        ColdOperator("combineLatest(with:)") { Stream(value: 1).combineLatest(with: $0).map { $0.1 } },
        ColdOperator("combineLatest(_:)") { Stream.combineLatest([Stream(value: 7), $0]).map { $0[1] } },
        ColdOperator("combinePrevious") { $0.combinePrevious(1).map { $0.1 } },
        ColdOperator("compactMap") { $0.compactMap { $0 } },
        ColdOperator("concat") { $0.concat(.empty) },
        ColdOperator("debounce") { $0.debounce(.zero, on: $1, discardWhenCompleted: false) },
        ColdOperator("delay") { $0.delay(.zero, on: $1) },
        ColdOperator("dematerialize") { $0.materialize().dematerialize() },
        ColdOperator("dematerializeResults") { $0.materializeResults().dematerializeResults() },
        ColdOperator("elementAt") { $0.elementAt(0) },
        ColdOperator("enumerated") { $0.enumerated().map(\.value) },
        ColdOperator("filter") { $0.filter { _ in true } },
        ColdOperator("flatMapError") { $0.flatMapError { Stream(error: $0) } },
        ColdOperator("flatten, of sequences") { $0.map { [$0] }.flatten() },
        ColdOperator("ifEmpty(default:)") { $0.ifEmpty(default: 1) },
        ColdOperator("ifEmpty(switchTo:)") { $0.ifEmpty(switchTo: Stream(value: 1)) },
        ColdOperator("lazyMap") { $0.lazyMap(on: $1) { $0 } },
        ColdOperator("logEvents") { $0.logEvents { _, _, _, _, _ in } },
        ColdOperator("map") { $0.map { $0 } },
        ColdOperator("mapError") { $0.mapError { $0 } },
        ColdOperator("materialize") { $0.materialize().compactMap(\.value).promoteError() },
        ColdOperator("materializeResults") { $0.materializeResults().compactMap { try? $0.get() }.promoteError() },
        ColdOperator("merge") { $0.merge(with: .empty) },
        ColdOperator("observe(on:)") { $0.observe(on: $1) },
        ColdOperator("on(value:)") { $0.on(value: { _ in }) },
        ColdOperator("on(started:)") { $0.on(started: {}) },
        ColdOperator("prefix") { Stream.empty.concat($0) },
        ColdOperator("prefix(value:)") { $0.prefix(value: 1).skip(first: 1) },
        ColdOperator("promoteError") { $0.flatMapError { _ in SignalProducer<Int, NoError>.empty }.promoteError() },
        ColdOperator("promoteValue") { stream in
            stream.filter { _ in false }.map { _ -> Never in fatalError() }.promoteValue()
        },
        ColdOperator("reduce") { $0.reduce(1) { $1 } },
        ColdOperator("repeat") { $0.repeat(1) },
        ColdOperator("replaceError") { $0.replaceError(1).promoteError() },
        ColdOperator("retry(upTo:)") { $0.retry(upTo: 1) },
        ColdOperator("retry(when:)") { $0.retry(when: { $0.promoteError(Failure.self) }) },
        ColdOperator("sample(with:)") { $0.sample(with: SignalProducer<Int, NoError>(value: 1)).map { $0.0 } },
        ColdOperator("sample(on:)") { $0.sample(on: SignalProducer<Void, NoError>(value: ())) },
        ColdOperator("scan") { $0.scan(1) { $1 } },
        ColdOperator("scanMap") { $0.scanMap(1) { ($1, $1) } },
        ColdOperator("skip(first:)") { $0.skip(first: 0) },
        ColdOperator("skip(while:)") { $0.skip { _ in false } },
        ColdOperator("skip(until:)") { $0.skip(until: SignalProducer<Void, NoError>(value: ())) },
        ColdOperator("skipNil") { $0.map { Optional($0) }.skipNil() },
        ColdOperator("skipRepeats") { $0.skipRepeats() },
        ColdOperator("start(on:)") { $0.start(on: $1) },
        ColdOperator("take(first:)") { $0.take(first: 2) },
        ColdOperator("take(last:)") { $0.take(last: 2) },
        ColdOperator("take(while:)") { $0.take(while: { _ in true }) },
        ColdOperator("take(until:)") { $0.take(until: { _ in true }) },
        ColdOperator("take(until: trigger)") { $0.take(until: SignalProducer<Void, NoError>.never) },
        ColdOperator("take(during:)") { $0.take(during: property.lifetime) },
        ColdOperator("take(untilReplacement:)") { $0.take(untilReplacement: Stream.never) },
        ColdOperator("then") { Stream.empty.then($0) },
        ColdOperator("throttle") { $0.throttle(.zero, on: $1) },
        ColdOperator("throttle(latest: false)") { $0.throttle(.zero, latest: false, on: $1) },
        ColdOperator("throttle(while:)") { $0.throttle(while: property, on: $1) },
        ColdOperator("timeout(after:)") { $0.timeout(after: .seconds(1), raising: Failure(), on: $1) },
        ColdOperator("timeout(perValue:)") { $0.timeout(perValue: .seconds(1), raising: Failure(), on: $1) },
        ColdOperator("uniqueValues") { $0.uniqueValues() },
        ColdOperator("withLatest") { $0.withLatest(from: property).map { $0.0 } },
        ColdOperator("zip") { $0.zip(with: Stream([1, 2])).map { $0.0 } },
    ]

    /// Those that deliver or start a stream of their own inside of a delivery or of a start, as a call in a call does.
    public static let starting: [ColdOperator] = [
        ColdOperator("continuingAfterDisposal") { $0.continuingAfterDisposal() },
        ColdOperator("flatMap(.merge)") { $0.flatMap(.merge) { Stream(value: $0) } },
        ColdOperator("flatMap(.concat)") { $0.flatMap(.concat) { Stream(value: $0) } },
        ColdOperator("flatMap(.latest)") { $0.flatMap(.latest) { Stream(value: $0) } },
        ColdOperator("flatMap(.race)") { $0.flatMap(.race) { Stream(value: $0) } },
        ColdOperator("groupBy") { $0.groupBy { $0 }.map(\.key) },
        ColdOperator("lift") { $0.lift { $0.map { $0 } } },
        ColdOperator("replayLazily") { $0.replayLazily(upTo: 1) },
        ColdOperator("share") { $0.share() },
        ColdOperator("window(count:)") { $0.window(count: 1).scan(6) { sum, _ in sum + 1 } },
    ]
}
