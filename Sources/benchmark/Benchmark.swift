/// One row of the table: a piece of work and, if there is one, the bare way to do the same. The two are measured in
/// turn.
struct Benchmark: Sendable {
    /// Work that is measured as a whole; its time is divided by `operations`.
    typealias Work = @Sendable () async throws -> Void

    /// The name of what is measured.
    let name: String
    /// The name of a single operation: "value", "event", "row".
    let unit: String
    /// The number of operations in one run of the work.
    let operations: Int
    /// The bare way, with its name.
    let baseline: (name: String, work: Work)?
    /// Our way.
    let ours: Work
    /// The goal, if there is one.
    let goal: Goal?

    init(
        _ name: String, per unit: String, operations: Int, goal: Goal? = nil,
        baseline: (name: String, work: Work)? = nil, ours: @escaping Work
    ) {
        self.name = name
        self.unit = unit
        self.operations = operations
        self.goal = goal
        self.baseline = baseline
        self.ours = ours
    }
}

/// A limit that a figure must not exceed.
enum Goal: Sendable {
    /// At most so many times what the baseline takes.
    case ratio(Double)
    /// At most so many nanoseconds.
    case nanoseconds(Double)
    /// At most so many nanoseconds more than the baseline.
    case nanosecondsMore(Double)
    /// At most so many bytes.
    case bytes(Int)
}

/// The result of a benchmark.
struct Outcome: Sendable, Encodable {
    let name: String
    let unit: String
    /// The median of all rounds, in nanoseconds for one operation; `nil` if memory was measured.
    var nanoseconds: Double?
    /// The bytes in use, if memory was measured.
    var bytes: Int?
    var baseline: String?
    var baselineNanoseconds: Double?
    /// The median of the ratios of all rounds.
    var ratio: Double?
    /// The median of the differences of all rounds, in nanoseconds, if the goal limits it.
    var difference: Double?
    let goal: String?
    let isReached: Bool?
}

extension Benchmark {
    /// Measures `rounds` rounds, after one that does not count. Each round measures the baseline and then ours.
    func run(rounds: Int) async throws -> Outcome {
        var ours: [Double] = []
        var bare: [Double] = []
        for round in 0...rounds {
            let bareTime = try await time(baseline?.work)
            let ourTime = try await time(self.ours)
            guard round > 0 else { continue }
            if let bareTime { bare.append(bareTime) }
            if let ourTime { ours.append(ourTime) }
        }
        let ratios = zip(ours, bare).map { $0 / $1 }
        let nanoseconds = ours.median
        let ratio = ratios.isEmpty ? nil : ratios.median
        var difference: Double?
        if case .nanosecondsMore = goal { difference = zip(ours, bare).map { $0 - $1 }.median }
        return Outcome(
            name: name, unit: unit, nanoseconds: nanoseconds,
            baseline: baseline?.name, baselineNanoseconds: bare.isEmpty ? nil : bare.median, ratio: ratio,
            difference: difference, goal: goal?.description,
            isReached: goal?.isReached(nanoseconds: nanoseconds, ratio: ratio, difference: difference))
    }

    private func time(_ work: Work?) async throws -> Double? {
        guard let work else { return nil }
        let clock = ContinuousClock()
        let start = clock.now
        try await work()
        let elapsed = start.duration(to: clock.now).components
        return (Double(elapsed.seconds) * 1e9 + Double(elapsed.attoseconds) / 1e9) / Double(operations)
    }
}

extension Goal: CustomStringConvertible {
    var description: String {
        switch self {
        case let .ratio(ratio): "≤ \(ratio.trimmed)×"
        case let .nanoseconds(limit): "≤ \(limit.trimmed) ns"
        case let .nanosecondsMore(limit): "≤ +\(limit.trimmed) ns"
        case let .bytes(limit): "≤ \(limit) bytes"
        }
    }

    func isReached(
        nanoseconds: Double = .infinity, ratio: Double? = nil, difference: Double? = nil, bytes: Int = .max
    ) -> Bool {
        switch self {
        case let .ratio(limit): (ratio ?? .infinity) <= limit
        case let .nanoseconds(limit): nanoseconds <= limit
        case let .nanosecondsMore(limit): (difference ?? .infinity) <= limit
        case let .bytes(limit): bytes <= limit
        }
    }
}

extension [Double] {
    var median: Double {
        let sorted = sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

extension Double {
    /// The number as text, without decimals that are zero.
    var trimmed: String { self == rounded() ? "\(Int(self))" : "\(self)" }
}
