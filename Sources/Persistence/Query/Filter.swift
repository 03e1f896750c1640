/// A condition compiled to functions that find the objects which pass it in blocks of memory.
@usableFromInline
struct Filter<Object>: Sendable {
    private let narrow: Narrowing?

    /// Throws if the condition is too deep, or if a pattern in it is not a regular expression.
    init(_ condition: Condition<Object>) throws(StoreError) {
        try condition.checkDepth()
        let condition = condition.optimized
        narrow = if case .constant(true) = condition.form { nil } else { try Self.compile(condition, negated: false) }
    }

    /// True if every object passes.
    @usableFromInline var passesAll: Bool { narrow == nil }

    /// Keeps those of the first `count` positions whose objects pass, and returns their number.
    @usableFromInline
    func narrow(_ first: UnsafePointer<Object>, _ positions: UnsafeMutablePointer<UInt16>, _ count: Int) -> Int {
        narrow.map { $0(UnsafeRawPointer(first), positions, count) } ?? count
    }

    /// Returns whether one object passes.
    @usableFromInline
    func passes(_ object: Object) -> Bool {
        guard let narrow else { return true }
        var position: UInt16 = 0
        return withUnsafePointer(to: object) { narrow(UnsafeRawPointer($0), &position, 1) == 1 }
    }

    // MARK: - Compiling

    private static func compile(_ condition: Condition<Object>, negated: Bool) throws(StoreError) -> Narrowing {
        switch condition.form {
        case .constant(let value): return constant(value != negated)
        case .not(let condition): return try compile(condition, negated: !negated)
        case .and(let conditions):
            // Testing text is slower than testing numbers, so it comes last.
            var parts: [Narrowing] = []
            for condition in conditions where !condition.isText {
                parts.append(try compile(condition, negated: negated))
            }
            for condition in conditions where condition.isText {
                parts.append(try compile(condition, negated: negated))
            }
            return all(of: parts)
        case .or(let conditions):
            var parts: [Narrowing] = []
            for condition in conditions { parts.append(try compile(condition, negated: negated)) }
            return any(of: parts)
        case .comparison(let attribute, let comparison, let value):
            let test: AttributeTest
            switch comparison {
            case .equal: test = .equal(value)
            case .notEqual: return attribute.narrowing(.equal(value), negated: !negated) ?? constant(!negated)
            case .less: test = .less(value)
            case .lessOrEqual: test = .lessOrEqual(value)
            case .greater: test = .greater(value)
            case .greaterOrEqual: test = .greaterOrEqual(value)
            }
            return attribute.narrowing(test, negated: negated) ?? constant(negated)
        case .membership(let attribute, let values):
            return attribute.narrowing(.member(values), negated: negated) ?? constant(negated)
        case .between(let attribute, let lower, let upper):
            return attribute.narrowing(.between(lower, upper), negated: negated) ?? constant(negated)
        case .text(let attribute, let match):
            return attribute.narrowing(.text(try TextPattern(match)), negated: negated) ?? constant(negated)
        }
    }

    private static func constant(_ value: Bool) -> Narrowing { { _, _, count in value ? count : 0 } }

    private static func all(of parts: [Narrowing]) -> Narrowing {
        { first, positions, count in
            var count = count
            for part in parts where count > 0 { count = part(first, positions, count) }
            return count
        }
    }

    /// Tries the objects that have passed no part so far on the next part. Those that pass are merged in order.
    private static func any(of parts: [Narrowing]) -> Narrowing {
        { first, positions, count in
            withUnsafeTemporaryAllocation(of: UInt16.self, capacity: count * 2) { memory in
                guard let rest = memory.baseAddress else { return 0 }
                rest.update(from: positions, count: count)
                let tried = rest + count
                var restCount = count
                var passed = 0
                for part in parts where restCount > 0 {
                    tried.update(from: rest, count: restCount)
                    let found = part(first, tried, restCount)
                    passed = merge(tried, found, into: positions, passed)
                    restCount = remove(tried, found, from: rest, restCount)
                }
                return passed
            }
        }
    }

    /// Merges the `count` ascending positions at `found` into the `passed` ascending ones at `positions`.
    private static func merge(
        _ found: UnsafeMutablePointer<UInt16>, _ count: Int, into positions: UnsafeMutablePointer<UInt16>, _ passed: Int
    ) -> Int {
        var from = count - 1
        var kept = passed - 1
        var to = count + passed - 1
        while from >= 0 {
            if kept >= 0, positions[kept] > found[from] {
                positions[to] = positions[kept]
                kept -= 1
            } else {
                positions[to] = found[from]
                from -= 1
            }
            to -= 1
        }
        return count + passed
    }

    private static func remove(
        _ found: UnsafeMutablePointer<UInt16>, _ count: Int, from rest: UnsafeMutablePointer<UInt16>, _ restCount: Int
    ) -> Int {
        var next = 0
        var kept = 0
        for index in 0..<restCount {
            if next < count, found[next] == rest[index] {
                next += 1
            } else {
                rest[kept] = rest[index]
                kept += 1
            }
        }
        return kept
    }
}

extension Condition {
    fileprivate var isText: Bool {
        switch form {
        case .text: true
        case .not(let condition): condition.isText
        default: false
        }
    }
}
