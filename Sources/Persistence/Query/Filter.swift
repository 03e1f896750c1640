/// A condition compiled to functions that find the objects which pass it in blocks of memory.
@usableFromInline
struct Filter<Object>: Sendable {
    private let narrow: Narrowing?

    /// Throws if the condition is too deep, or if a pattern in it is not a regular expression.
    init(_ condition: Condition<Object>) throws(StoreError) {
        try condition.erased.checkDepth()
        let condition = condition.erased.optimized
        narrow = condition.isAlways ? nil : try condition.compiled()
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
}

// MARK: - Compiling

extension AnyCondition {
    /// Compiles an optimized condition, which has negations only before single tests.
    fileprivate func compiled() throws(StoreError) -> Narrowing {
        switch form {
        case .constant(let value): return Self.constant(value)
        case .not(let condition): return try condition.compiled(negated: true)
        case .and(let conditions):
            // Testing text is slower than testing numbers, so it comes last.
            let (texts, others) = (conditions.filter(\.isText), conditions.filter { !$0.isText })
            return Self.all(of: try (others + texts).map { part throws(StoreError) in try part.compiled() })
        case .or(let conditions):
            return Self.any(of: try conditions.map { part throws(StoreError) in try part.compiled() })
        case .comparison, .membership, .between, .text: return try compiled(negated: false)
        }
    }

    private func compiled(negated: Bool) throws(StoreError) -> Narrowing {
        switch form {
        case .comparison(let attribute, let comparison, let value):
            switch comparison {
            case .equal: return Self.narrowing(attribute, .equal(value), negated)
            case .notEqual: return Self.narrowing(attribute, .equal(value), !negated)
            case .less: return Self.narrowing(attribute, .less(value), negated)
            case .lessOrEqual: return Self.narrowing(attribute, .lessOrEqual(value), negated)
            case .greater: return Self.narrowing(attribute, .greater(value), negated)
            case .greaterOrEqual: return Self.narrowing(attribute, .greaterOrEqual(value), negated)
            }
        case .membership(let attribute, let values): return Self.narrowing(attribute, .member(values), negated)
        case .between(let attribute, let lower, let upper):
            return Self.narrowing(attribute, .between(lower, upper), negated)
        case .text(let attribute, let match): return Self.narrowing(attribute, .text(try TextPattern(match)), negated)
        case .constant, .not, .and, .or: return try (negated ? !self : self).optimized.compiled()
        }
    }

    /// A test with something that is not a value of the property passes no object.
    private static func narrowing(_ attribute: AnyAttribute, _ test: AttributeTest, _ negated: Bool) -> Narrowing {
        attribute.narrowing(test, negated: negated) ?? constant(negated)
    }

    private static func constant(_ value: Bool) -> Narrowing { { _, _, count in value ? count : 0 } }

    private static func all(of parts: [Narrowing]) -> Narrowing {
        { first, positions, count in
            var count = count
            for part in parts { count = part(first, positions, count) }
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
                for part in parts {
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

    private var isText: Bool {
        switch form {
        case .text: true
        case .not(let condition): condition.isText
        default: false
        }
    }
}
