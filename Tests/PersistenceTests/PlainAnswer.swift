import Foundation
import Persistence

/// The meaning of a query, written as plainly as can be: no compiler, no optimizer, no index.
struct PlainAnswer<Object: Identifiable & Sendable> where Object.ID: Primitive {
    let query: Query<MemoryStore<Object>>

    init(_ query: Query<MemoryStore<Object>>) { self.query = query }

    func answer(from objects: [Object]) -> [Object] {
        var found = objects.filter { isTrue(query.condition, of: $0) }
        found.sort { order($0, $1) < 0 }
        if let after = query.after { found = found.filter { order(after, $0) < 0 } }
        found = Array(found.dropFirst(query.offset))
        return query.limit.map { Array(found.prefix($0)) } ?? found
    }

    private func order(_ lhs: Object, _ rhs: Object) -> Int {
        for criterion in query.sortCriteria {
            let (left, right) = (criterion.attribute.value(in: lhs), criterion.attribute.value(in: rhs))
            if left == right { continue }
            if left == .null { return criterion.nilPlace == .first ? -1 : 1 }
            if right == .null { return criterion.nilPlace == .first ? 1 : -1 }
            if PrimitiveValue.isOrdered(left, before: right) { return criterion.order == .ascending ? -1 : 1 }
            if PrimitiveValue.isOrdered(right, before: left) { return criterion.order == .ascending ? 1 : -1 }
        }
        return Object.ID.isOrdered(lhs.id, before: rhs.id) ? -1 : Object.ID.isOrdered(rhs.id, before: lhs.id) ? 1 : 0
    }

    private func isTrue(_ condition: Condition<Object>, of object: Object) -> Bool {
        switch condition.form {
        case .constant(let value): return value
        case .not(let condition): return !isTrue(condition, of: object)
        case .and(let conditions): return conditions.allSatisfy { isTrue($0, of: object) }
        case .or(let conditions): return conditions.contains { isTrue($0, of: object) }
        case .membership(let attribute, let values): return values.contains { isEqual(attribute.value(in: object), $0) }
        case .between(let attribute, let lower, let upper):
            return isAtMost(lower, attribute.value(in: object)) && isAtMost(attribute.value(in: object), upper)
        case .comparison(let attribute, let comparison, let value):
            let stored = attribute.value(in: object)
            switch comparison {
            case .equal: return isEqual(stored, value)
            case .notEqual: return !isEqual(stored, value)
            case .less: return isAtMost(stored, value) && !isEqual(stored, value)
            case .lessOrEqual: return isAtMost(stored, value)
            case .greater: return isAtMost(value, stored) && !isEqual(stored, value)
            case .greaterOrEqual: return isAtMost(value, stored)
            }
        case .text(let attribute, let match):
            guard case .text(let text) = attribute.value(in: object) else { return false }
            let (subject, pattern) = (fold(text, match.options), fold(match.pattern, match.options))
            let (characters, wanted) = (Array(subject), Array(pattern))
            switch match.kind {
            case .equals: return characters == wanted
            case .startsWith: return characters.starts(with: wanted)
            case .endsWith: return characters.reversed().starts(with: wanted.reversed())
            case .contains:
                return wanted.isEmpty || characters.indices.contains { characters[$0...].starts(with: wanted) }
            case .like: return isLike(characters[...], wanted[...])
            case .matches:
                return (try? Regex(match.pattern).firstMatch(in: text.precomposedStringWithCanonicalMapping)) != nil
            }
        }
    }

    private func isEqual(_ lhs: PrimitiveValue, _ rhs: PrimitiveValue) -> Bool {
        !lhs.isNaN && !rhs.isNaN && lhs == rhs
    }

    private func isAtMost(_ lhs: PrimitiveValue, _ rhs: PrimitiveValue) -> Bool {
        lhs != .null && rhs != .null && !lhs.isNaN && !rhs.isNaN && !PrimitiveValue.isOrdered(rhs, before: lhs)
    }

    private func fold(_ text: String, _ options: TextOptions) -> String {
        var scalars = text.decomposedStringWithCanonicalMapping.unicodeScalars
        if options.contains(.diacriticInsensitive) {
            scalars.removeAll { $0.properties.generalCategory == .nonspacingMark }
        }
        let text = String(scalars)
        return options.contains(.caseInsensitive) ? text.uppercased().lowercased() : text
    }

    private func isLike(_ text: ArraySlice<Character>, _ pattern: ArraySlice<Character>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        switch first {
        case "%": return isLike(text, rest) || (!text.isEmpty && isLike(text.dropFirst(), pattern))
        case "_": return !text.isEmpty && isLike(text.dropFirst(), rest)
        case "\\":
            if let next = rest.first, "%_\\".contains(next) {
                return text.first == next && isLike(text.dropFirst(), rest.dropFirst())
            }
            return text.first == first && isLike(text.dropFirst(), rest)
        default: return text.first == first && isLike(text.dropFirst(), rest)
        }
    }
}
