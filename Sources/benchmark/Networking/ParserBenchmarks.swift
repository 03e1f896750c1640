import Foundation
import Networking

/// The rows on decoding lists under a key.
let parserBenchmarks: [Benchmark] = [strictParsing, cleanPruning, prunedParsing]

private let count = 10_000

private struct City: Decodable, Sendable {
    var id: Int
    var name: String
    var country: String
    var population: Int
    var latitude: Double
    var isCapital: Bool
    var tags: [String]
}

private struct Wrapper: Decodable {
    var cities: [City]
}

/// Returns a list of cities. If `isDamaged`, every tenth has a number as its name.
private func body(isDamaged: Bool) -> Data {
    let cities = (0..<count).map { number in
        let name = isDamaged && number % 10 == 3 ? "17" : #""City number \#(number)""#
        return
            #"{"id":\#(number),"name":\#(name),"country":"Germany","population":\#(number * 1_000),"latitude":52.\#(number),"isCapital":false,"tags":["big","old"]}"#
    }
    return Data(#"{"meta":{"page":1},"cities":[\#(cities.joined(separator: ","))]}"#.utf8)
}

private let clean = body(isDamaged: false)
private let damaged = body(isDamaged: true)
private let decoder = JSONDecoder()

private let wrapperDecoding: (name: String, work: Benchmark.Work) = (
    "JSONDecoder, wrapper type", { sink.add(try decoder.decode(Wrapper.self, from: clean).cities.count) }
)

private func parsing(_ data: Data, _ strategy: Parser.Strategy) -> Benchmark.Work {
    {
        let cities: Result<[City], CoreError> = Parser.parse(data, key: "cities", strategy: strategy)
        sink.add(try cities.get().count)
    }
}

private let strictParsing = Benchmark(
    "Parser strict, keyed", per: "element", operations: count, goal: .ratio(0.16), baseline: wrapperDecoding,
    ours: parsing(clean, .strict))

private let cleanPruning = Benchmark(
    "Parser prune, keyed, none bad", per: "element", operations: count, goal: .ratio(0.16), baseline: wrapperDecoding,
    ours: parsing(clean, .prune))

private let prunedParsing = Benchmark(
    "Parser prune, keyed, 10 % bad", per: "element", operations: count, goal: .ratio(0.17), baseline: wrapperDecoding,
    ours: parsing(damaged, .prune))
