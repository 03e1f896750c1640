/// A condition without the type of its objects; see ``AnyAttribute``.
@usableFromInline
package struct AnyCondition: Sendable, Hashable {
    /// The parts of a condition. They are those of ``Condition/Form``.
    @usableFromInline
    package indirect enum Form: Sendable, Hashable {
        case constant(Bool)
        case comparison(AnyAttribute, Comparison, PrimitiveValue)
        case membership(AnyAttribute, [PrimitiveValue])
        case between(AnyAttribute, PrimitiveValue, PrimitiveValue)
        case text(AnyAttribute, TextMatch)
        case not(AnyCondition)
        case and([AnyCondition])
        case or([AnyCondition])
    }

    @usableFromInline package let form: Form
    /// True if conditions were joined deeper than ``maximumDepth``. The form is then meaningless.
    package let isTooDeep: Bool
    private let depth: Int

    /// The greatest number of nested conditions. Each level needs space on the stack of the calling thread.
    static var maximumDepth: Int { 1_024 }

    @usableFromInline
    init(_ form: Form) {
        let parts: [AnyCondition]
        switch form {
        case .not(let condition): parts = [condition]
        case .and(let conditions), .or(let conditions): parts = conditions
        case .constant, .comparison, .membership, .between, .text:
            (self.form, depth, isTooDeep) = (form, 1, false)
            return
        }
        var deepest = 0
        var isTooDeep = false
        for part in parts {
            deepest = max(deepest, part.depth)
            if part.isTooDeep { isTooDeep = true }
        }
        self.isTooDeep = isTooDeep || deepest >= Self.maximumDepth
        depth = self.isTooDeep ? 0 : deepest + 1
        self.form = self.isTooDeep ? .constant(false) : form
    }

    /// Throws if the condition is too deep.
    func checkDepth() throws(StoreError) { if isTooDeep { throw .tooDeep(limit: Self.maximumDepth) } }

    /// True of every object.
    package static let always = AnyCondition(.constant(true))

    /// False of every object.
    package static let never = AnyCondition(.constant(false))

    var isAlways: Bool { if case .constant(true) = form { true } else { false } }
}

// MARK: - Joining

extension AnyCondition {
    package static func && (lhs: AnyCondition, rhs: AnyCondition) -> AnyCondition {
        func parts(_ side: AnyCondition) -> [AnyCondition] {
            if case .and(let parts) = side.form { parts } else { [side] }
        }
        return AnyCondition(.and(parts(lhs) + parts(rhs)))
    }

    package static func || (lhs: AnyCondition, rhs: AnyCondition) -> AnyCondition {
        func parts(_ side: AnyCondition) -> [AnyCondition] {
            if case .or(let parts) = side.form { parts } else { [side] }
        }
        return AnyCondition(.or(parts(lhs) + parts(rhs)))
    }

    package static prefix func ! (condition: AnyCondition) -> AnyCondition { AnyCondition(.not(condition)) }
}

// MARK: - Printing

extension AnyCondition: CustomStringConvertible {
    @usableFromInline package var description: String {
        switch form {
        case .constant(let value): "\(value)"
        case .comparison(let attribute, let comparison, let value): "\(attribute) \(comparison.rawValue) \(value)"
        case .membership(let attribute, let values):
            "\(attribute) in [\(values.map(\.description).joined(separator: ", "))]"
        case .between(let attribute, let lower, let upper): "\(attribute) in \(lower)...\(upper)"
        case .text(let attribute, let match): "\(attribute) \(match)"
        case .not(let condition): "!(\(condition))"
        case .and(let conditions): Self.join(conditions, "&&")
        case .or(let conditions): Self.join(conditions, "||")
        }
    }

    private static func join(_ conditions: [AnyCondition], _ sign: String) -> String {
        conditions.map { condition in
            switch condition.form {
            case .and, .or: "(\(condition))"
            default: "\(condition)"
            }
        }.joined(separator: " \(sign) ")
    }
}
