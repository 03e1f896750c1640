import Foundation
import JSON
import Sync

/// The rows on a table as public ones are, read and written by schema.
let tableBenchmarks: [Benchmark] = [
    reading("JSON: a table of 250 countries by schema, read", BenchmarkCountry.body(hasUnreadParts: false)),
    reading("JSON: the same, with nested parts that are not read", BenchmarkCountry.body(hasUnreadParts: true)),
    Benchmark(
        "JSON: the same, written", per: "row", operations: BenchmarkCountry.count * repetitions, goal: .ratio(0.15),
        baseline: (
            "JSONEncoder", { for _ in 0..<repetitions { sink.add(try JSONEncoder().encode(countries).count) } }
        ),
        ours: {
            for _ in 0..<repetitions { sink.add(try BenchmarkCountry.schema.json(of: countries).get().count) }
        }),
]

private let repetitions = 20

private let countries: [BenchmarkCountry] = {
    guard
        let countries = try? JSONDecoder().decode(
            [BenchmarkCountry].self, from: BenchmarkCountry.body(hasUnreadParts: false))
    else { preconditionFailure("The table of countries cannot be read.") }
    return countries
}()

private func reading(_ name: String, _ body: Data) -> Benchmark {
    Benchmark(
        name, per: "row", operations: BenchmarkCountry.count * repetitions, goal: .ratio(0.1),
        baseline: (
            "JSONDecoder",
            {
                for _ in 0..<repetitions {
                    sink.add(try JSONDecoder().decode([BenchmarkCountry].self, from: body).count)
                }
            }
        ),
        ours: {
            for _ in 0..<repetitions { sink.add(try BenchmarkCountry.schema.objects(fromJSON: body).get().count) }
        })
}
