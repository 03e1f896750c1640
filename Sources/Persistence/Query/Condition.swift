/// A condition on the properties of an object. It is a value that can be printed, compared, simplified, and sent to any
/// store.
///
///     let cheap: Condition<Movie> = \.rating == .G && \.budget < 5_000_000
///     let other: Condition<Movie> = !(\.rating == .PG_13) || .startsWith(\.title, "The")
///
/// A Boolean property is compared as others are: `\.isSeen == true`. The compiler refuses `\.isSeen` alone.
///
/// A condition is either true or false of an object, never unknown. On every store, nil equals only nil, and an
/// ordering comparison with nil or NaN is false.
///
/// ``matches(_:)`` tests one object in memory. ``form`` is for stores that translate conditions to another language.
public struct Condition<Object>: Sendable, Hashable {
    /// The parts of a condition, for stores that translate it.
    public indirect enum Form: Sendable, Hashable {
        /// True, or false, of every object.
        case constant(Bool)
        /// A property compared with a value.
        case comparison(Attribute<Object>, Comparison, PrimitiveValue)
        /// One of the values.
        case membership(Attribute<Object>, [PrimitiveValue])
        /// Neither below the first value nor above the second.
        case between(Attribute<Object>, PrimitiveValue, PrimitiveValue)
        /// A property whose text is searched.
        case text(Attribute<Object>, TextMatch)
        /// The opposite of a condition.
        case not(Condition)
        /// All of some conditions; true if there are none.
        case and([Condition])
        /// Any of some conditions; false if there are none.
        case or([Condition])
    }

    /// The condition without the type of its objects.
    @usableFromInline package let erased: AnyCondition

    @inlinable
    init(_ form: AnyCondition.Form) { erased = AnyCondition(form) }

    /// - Parameter erased: A condition on the same type of objects.
    package init(erased: AnyCondition) { self.erased = erased }

    /// The form of the condition, for stores that translate it.
    public var form: Form {
        switch erased.form {
        case .constant(let value): .constant(value)
        case .comparison(let attribute, let comparison, let value):
            .comparison(Attribute(erased: attribute), comparison, value)
        case .membership(let attribute, let values): .membership(Attribute(erased: attribute), values)
        case .between(let attribute, let lower, let upper): .between(Attribute(erased: attribute), lower, upper)
        case .text(let attribute, let match): .text(Attribute(erased: attribute), match)
        case .not(let condition): .not(Condition(erased: condition))
        case .and(let conditions): .and(conditions.map { Condition(erased: $0) })
        case .or(let conditions): .or(conditions.map { Condition(erased: $0) })
        }
    }

    /// The greatest number of nested conditions. Each level needs space on the stack of the calling thread.
    public static var maximumDepth: Int { AnyCondition.maximumDepth }

    /// True if conditions were joined deeper than ``maximumDepth``. Its form is then meaningless, and every query that asks for
    /// it fails with ``StoreError/tooDeep(limit:)``.
    public var isTooDeep: Bool { erased.isTooDeep }

    /// True of every object.
    public static var always: Condition { Condition(erased: .always) }

    /// False of every object.
    public static var never: Condition { Condition(erased: .never) }

    /// A simpler condition that is true of the same objects.
    ///
    /// Nested `and`s and `or`s are merged. Negations are only before single tests, and never double. Constants are
    /// removed unless nothing else is left, and so are repetitions. `a == 1 || a == 2` becomes `a in [1, 2]`.
    public var optimized: Condition { Condition(erased: erased.optimized) }
}

/// The operator with which a condition compares a property with a value.
public enum Comparison: String, Sendable, Hashable {
    /// The values are equal.
    case equal = "=="
    /// The values differ.
    case notEqual = "!="
    /// The property is less.
    case less = "<"
    /// The property is less, or equal.
    case lessOrEqual = "<="
    /// The property is greater.
    case greater = ">"
    /// The property is greater, or equal.
    case greaterOrEqual = ">="
}

// MARK: - Testing objects

extension Condition {
    /// Returns whether the condition is true of `object`.
    ///
    /// Throws ``StoreError/invalidPattern(_:reason:)`` if a pattern of ``matches(_:_:)`` is not a regular expression. To test
    /// many objects, call ``compiled()`` once.
    public func matches(_ object: Object) throws(StoreError) -> Bool { try Filter(self).passes(object) }

    /// Returns a function that tests objects. The work that is common to all objects is done only once.
    public func compiled() throws(StoreError) -> @Sendable (Object) -> Bool {
        let filter = try Filter(self)
        return { filter.passes($0) }
    }
}

// MARK: - Made while the program runs

extension Condition {
    /// Compares an attribute that is known only while the program runs, for example from ``Schema/attribute(named:)``.
    ///
    /// It is nil if `value` is not exactly a value of the property: a text for a number, a text for a UUID, a fraction
    /// that a `Float` cannot hold, nil for a property that is not optional. So every store gives the same answer.
    public init?(_ attribute: Attribute<Object>, _ comparison: Comparison, _ value: PrimitiveValue) {
        guard attribute.erased.hasValue(value) else { return nil }
        self.init(.comparison(attribute.erased, comparison, value))
    }

    /// Makes a condition that is true if the attribute is one of `values`; nil if one of them is not exactly a value of the property.
    public init?(_ attribute: Attribute<Object>, in values: [PrimitiveValue]) {
        guard values.allSatisfy(attribute.erased.hasValue) else { return nil }
        self.init(.membership(attribute.erased, values))
    }

    /// Makes a condition that is true if an attribute's text matches; nil if the property is not text.
    public init?(_ attribute: Attribute<Object>, _ kind: TextMatch.Kind, _ pattern: String, _ options: TextOptions = [])
    {
        guard attribute.kind == .text else { return nil }
        self.init(.text(attribute.erased, TextMatch(kind: kind, pattern: pattern, options: options)))
    }
}

// MARK: - Printing

extension Condition: CustomStringConvertible {
    public var description: String { erased.description }
}

extension TextMatch: CustomStringConvertible {
    public var description: String {
        let ignored = [
            options.contains(.caseInsensitive) ? "case" : nil,
            options.contains(.diacriticInsensitive) ? "accents" : nil,
        ].compactMap { $0 }
        return "\(kind) \"\(pattern)\"" + (ignored.isEmpty ? "" : " ignoring \(ignored.joined(separator: " and "))")
    }
}
