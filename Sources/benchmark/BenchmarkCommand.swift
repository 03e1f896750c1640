import Feedback
import Foundation

/// Measures the library against bare baselines, in one run: `swift run -c release benchmark`.
@main
struct BenchmarkCommand {
    static let help = """
        Measures Feedback against bare baselines in the same run, and prints one table.

        usage: swift run -c release benchmark [--filter TEXT] [--rounds N] [--json]

          --filter TEXT  measures only the rows whose name contains TEXT
          --rounds N     measures each row N times and prints the median (7; at least 5)
          --json         prints JSON instead of a table
          --help         prints this text
        """

    static func main() async {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            if options.wantsHelp { return print(help) }
            try await run(options)
        } catch let error as Options.Failure {
            fail("benchmark: \(error.description) --help lists the options.", code: 64)
        } catch {
            fail("benchmark: \(error)", code: 1)
        }
    }

    private static func run(_ options: Options) async throws {
        #if DEBUG
        FileHandle.standardError.write(
            Data("benchmark: This is a debug build, whose figures mean nothing. Add -c release.\n".utf8))
        #endif
        if jsonBenchmarks.contains(where: { options.includes($0.name) }) { try JSONAnswers.check() }
        var outcomes: [Outcome] = []
        let table = Table()
        if !options.wantsJSON { table.printHeader() }
        for benchmark in allBenchmarks where options.includes(benchmark.name) {
            let outcome = try await benchmark.run(rounds: options.rounds)
            outcomes.append(outcome)
            if !options.wantsJSON { table.print(outcome) }
        }
        if !options.wantsJSON, postgresBenchmarks.isEmpty, options.includes("PostgreSQL store") {
            print("\nPostgreSQL store: not measured. Set BENCHMARK_POSTGRES to the address of a server.")
        }
        for measurement in SubscriptionMemory.all where options.includes(measurement.name) {
            let outcome = measurement.run()
            outcomes.append(outcome)
            if !options.wantsJSON { table.print(outcome) }
        }
        if options.includes(BrowserChange.name), !options.wantsJSON {
            let change = try await BrowserChange.measure()
            print(
                "\n\(BrowserChange.name): \(change.bytes) bytes (≤ 1024); \(change.median.inMilliseconds) ms, 95th percentile "
                    + "\(change.late.inMilliseconds) ms (≤ 20)")
        }
        if options.wantsJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            print(String(decoding: try encoder.encode(outcomes), as: UTF8.self))
        } else {
            table.printFooter(outcomes)
        }
    }

    private static func fail(_ message: String, code: Int32) -> Never {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(code)
    }
}

extension Duration {
    /// The milliseconds, with two decimals.
    fileprivate var inMilliseconds: String { String(format: "%.2f", timeInterval * 1_000) }
}

/// All rows, in the order of the table.
let allBenchmarks: [Benchmark] =
    signalBenchmarks + depthBenchmarks + largeStateBenchmarks + loopBenchmarks
    + jsonBenchmarks + parserBenchmarks + accessBenchmarks + cachingBenchmarks
    + storeBenchmarks + postgresBenchmarks + queryBenchmarks + observationBenchmarks + cacheBenchmarks
    + outboxBenchmarks + quakesBenchmarks + timelineBenchmarks + browserBenchmarks

/// The options of the command line.
struct Options {
    struct Failure: Error { let description: String }

    var filter: String?
    var rounds = 7
    var wantsJSON = false
    var wantsHelp = false

    init(_ arguments: [String]) throws(Failure) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--json": wantsJSON = true
            case "--help", "-h": wantsHelp = true
            case "--filter":
                guard let text = rest.popFirst() else {
                    throw Failure(description: "--filter needs a value: --filter TEXT.")
                }
                filter = text
            case "--rounds":
                guard let text = rest.popFirst(), let count = Int(text), count >= 5 else {
                    throw Failure(description: "--rounds needs a whole number of at least 5, such as 7.")
                }
                rounds = count
            default: throw Failure(description: "There is no option \(argument).")
            }
        }
    }

    func includes(_ name: String) -> Bool {
        filter.map { name.lowercased().contains($0.lowercased()) } ?? true
    }
}
