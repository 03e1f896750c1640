/// Prints outcomes as the rows of a table.
struct Table {
    private let widths = [58, 14, 14, 9, 18, 3]

    func printHeader() {
        row(["what, per operation", "ours", "baseline", "ratio", "goal", ""])
        Swift.print(String(repeating: "─", count: widths.reduce(widths.count, +)))
    }

    func print(_ outcome: Outcome) {
        row([
            "\(outcome.name), per \(outcome.unit)",
            outcome.nanoseconds.map(Self.time) ?? outcome.bytes.map { "\($0) bytes" } ?? "–",
            outcome.baselineNanoseconds.map(Self.time) ?? "–",
            outcome.difference.map(Self.difference) ?? outcome.ratio.map(Self.ratio) ?? "–",
            outcome.goal ?? "–", outcome.isReached.map { $0 ? "✓" : "✗" } ?? "",
        ])
    }

    func printFooter(_ outcomes: [Outcome]) {
        let judged = outcomes.compactMap(\.isReached)
        Swift.print("\n\(judged.count { $0 }) of \(judged.count) goals reached")
        let baselines = outcomes.compactMap { outcome in outcome.baseline.map { "  \(outcome.name): \($0)" } }
        if !baselines.isEmpty { Swift.print("\nbaselines\n" + baselines.joined(separator: "\n")) }
    }

    private func row(_ cells: [String]) {
        let padded = zip(cells, widths).enumerated().map { place, cell in
            let (text, width) = cell
            let padding = String(repeating: " ", count: max(0, width - text.count))
            return place == 0 ? text + padding : padding + text
        }
        Swift.print(padded.joined(separator: " "))
    }

    private static func time(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<1_000: "\(rounded(nanoseconds)) ns"
        case ..<1_000_000: "\(rounded(nanoseconds / 1_000)) µs"
        default: "\(rounded(nanoseconds / 1_000_000)) ms"
        }
    }

    private static func ratio(_ ratio: Double) -> String {
        "\((ratio * 100).rounded() / 100)×"
    }

    private static func difference(_ nanoseconds: Double) -> String {
        (nanoseconds < 0 ? "−" : "+") + time(abs(nanoseconds))
    }

    private static func rounded(_ value: Double) -> Double {
        (value * 10).rounded() / 10
    }
}
