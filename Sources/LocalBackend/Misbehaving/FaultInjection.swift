/// A deterministic value that decides which misbehaviour the next request meets.
struct FaultInjection: Sendable {
    /// The misbehaviour that one request meets.
    struct Plan: Sendable, Equatable {
        var delay = Duration.zero
        var failure: Int?
        var fault: Fault?
    }

    private struct Order: Sendable {
        var misbehaviours: [LocalBackend.Misbehaviour]
        let method: LocalBackend.Method?
        let pattern: PathPattern?
        var times: Int?
        var dice: [Dice]
    }

    private var orders: [Order] = []

    mutating func add(
        _ misbehaviours: [LocalBackend.Misbehaviour], on method: LocalBackend.Method?, at path: String?, times: Int?
    ) {
        let dice = misbehaviours.map { if case .fail(_, _, let seed) = $0 { Dice(seed: seed) } else { Dice(seed: 0) } }
        orders.append(
            Order(
                misbehaviours: misbehaviours, method: method, pattern: path.map(PathPattern.init), times: times,
                dice: dice))
    }

    mutating func clear() { orders = [] }

    /// Decides on the next request. Later orders win over earlier ones, except that delays add up.
    mutating func plan(for request: LocalBackend.Request) -> Plan {
        var plan = Plan()
        guard !orders.isEmpty else { return plan }
        let path = request.segments
        for index in orders.indices {
            let order = orders[index]
            guard order.times != 0, order.method == nil || order.method == request.method,
                order.pattern == nil || order.pattern?.match(path) != nil
            else { continue }
            if let times = order.times { orders[index].times = times - 1 }
            for (number, misbehaviour) in order.misbehaviours.enumerated() {
                switch misbehaviour {
                case .delay(let duration): plan.delay += duration
                case .fail(let rate, let status, _):
                    if orders[index].dice[number].roll() < rate { plan.failure = status }
                case .drop: plan.fault = .drop
                case .reset(let count): plan.fault = .reset(after: count.clamped)
                case .truncate(let count): plan.fault = .truncate(after: count.clamped)
                case .stall(let count): plan.fault = .stall(after: count.clamped)
                }
            }
        }
        return plan
    }
}

extension Int {
    /// The number of bytes, limited so that arithmetic with it cannot overflow.
    fileprivate var clamped: Int { Swift.min(Swift.max(0, self), 1 << 48) }
}

/// A random number generator (SplitMix64): the same seed gives the same numbers on every machine.
struct Dice: Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Returns a number from 0 up to, but not including, 1.
    mutating func roll() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return Double(mixed >> 11) * 0x1p-53
    }
}
