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
        var dice: [SeededNumbers]
    }

    private var orders: [Order] = []

    mutating func add(
        _ misbehaviours: [LocalBackend.Misbehaviour], on method: LocalBackend.Method?, at path: String?, times: Int?
    ) {
        let dice = misbehaviours.map {
            if case .fail(_, _, let seed) = $0 { SeededNumbers(seed: seed) } else { SeededNumbers(seed: 0) }
        }
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
                case .delay(let duration): plan.delay = (plan.delay + duration.clamped).clamped
                case .fail(let rate, let status, _):
                    if orders[index].dice[number].fraction() < rate { plan.failure = status }
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
