import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("The same query gives the same answer on every store", .onOwnThread)
struct AgreementTests {
    /// How many random queries to ask; `PERSISTENCE_QUERIES` raises it.
    static let queries = ProcessInfo.processInfo.environment["PERSISTENCE_QUERIES"].flatMap(Int.init) ?? 2_000

    @Test(
        "Random queries on random films give identical answers from memory and SQLite", arguments: 1...4)
    func randomQueries(seed: UInt64) throws {
        var random = RandomFilms(seed: seed)
        let films = random.films(250).shuffled(using: &random.numbers)
        let memory = MemoryStore(Film.schema)
        let plain = MemoryStore(id: \Film.id)
        let sqlite = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        try memory.insert(films).get()
        try plain.insert(films).get()
        try sqlite.insert(films).get()

        var answered = 0
        for _ in 0..<Self.queries / 4 {
            let query = random.query(for: memory)
            let expected = try query.result().get()
            if !expected.isEmpty { answered += 1 }
            let reference = PlainAnswer(query).answer(from: films)
            var isSame = same(expected, reference)
            #expect(isSame, "memory differs from the reference on \(query)")
            isSame = same(try query.asked(of: plain).result().get(), expected)
            #expect(
                isSame,
                "the store without indexes differs on \(query)")
            isSame = same(try query.asked(of: sqlite).result().get(), expected)
            #expect(isSame, "SQLite differs on \(query)")
            isSame = same(try query.optimized.result().get(), expected)
            #expect(isSame, "optimized, the answer differs on \(query)")
            let count = try query.count().get()
            #expect(try query.asked(of: sqlite).count().get() == count, "SQLite counts differently on \(query)")
        }
        #expect(answered > Self.queries / 10, "too few queries found anything")
    }

    @Test("Conditions of any depth give identical answers")
    func depths() throws {
        var random = RandomFilms(seed: 9)
        let films = random.films(200)
        let memory = MemoryStore(Film.schema)
        let sqlite = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        try memory.insert(films).get()
        try sqlite.insert(films).get()
        var condition = random.condition(depth: 1)
        for depth in 1...80 {
            let other = random.condition(depth: 2)
            condition =
                depth % 3 == 0 ? !(condition && other) : depth % 3 == 1 ? condition || other : condition && other
            // Else it soon is true of all films, or of none.
            condition = depth % 2 == 0 ? condition || \.id == depth * 3 - 20 : condition && \.id != depth * 3 - 20
            let query = memory.filter(where: condition).sorted(by: \.title)
            let isSame = same(try query.result().get(), try query.asked(of: sqlite).result().get())
            #expect(isSame, "at depth \(depth)")
        }
    }

    @Test("A condition that is nested a thousand deep is answered")
    func veryDeep() throws {
        var condition: Condition<Film> = \.id == 1
        for depth in 0..<1_000 {
            condition = depth % 2 == 0 ? condition || \.id == depth : condition && \.budget != depth
        }
        let memory = MemoryStore(Film.schema)
        let sqlite = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        for id in 0..<20 {
            try memory.insert(.fixture(id: id, budget: id * 2)).get()
            try sqlite.insert(.fixture(id: id, budget: id * 2)).get()
        }
        let expected = try memory.filter(where: condition).result().get().map(\.id)
        #expect(expected == [0, 1, 2, 4, 6, 8, 10, 12, 14, 16, 18])
        #expect(try sqlite.filter(where: condition).result().get().map(\.id) == expected)
        #expect(try sqlite.filter(where: !condition).count().get() == 20 - expected.count)
    }

    /// Whether both are the same films, where NaN is NaN. (The films are no part of an expectation, as Foundation cannot print
    /// all of their dates.)
    private func same(_ lhs: [Film], _ rhs: [Film]) -> Bool {
        lhs.count == rhs.count
            && zip(lhs, rhs).allSatisfy { lhs, rhs in
                Film.schema.columns.allSatisfy { $0.attribute.value(in: lhs) == $0.attribute.value(in: rhs) }
            }
    }
}

/// What a query means, written as plainly as can be: no compiler, no optimizer, no index.
struct PlainAnswer {
    let query: Query<MemoryStore<Film>>

    init(_ query: Query<MemoryStore<Film>>) { self.query = query }

    func answer(from films: [Film]) -> [Film] {
        var found = films.filter { isTrue(query.condition, of: $0) }
        found.sort { order($0, $1) < 0 }
        if let after = query.after { found = found.filter { order(after, $0) < 0 } }
        found = Array(found.dropFirst(query.offset))
        return query.limit.map { Array(found.prefix($0)) } ?? found
    }

    private func order(_ lhs: Film, _ rhs: Film) -> Int {
        for criterion in query.sortCriteria {
            let (left, right) = (criterion.attribute.value(in: lhs), criterion.attribute.value(in: rhs))
            if left == right { continue }
            if left == .null { return criterion.nilPlace == .first ? -1 : 1 }
            if right == .null { return criterion.nilPlace == .first ? 1 : -1 }
            if PrimitiveValue.isOrdered(left, before: right) { return criterion.order == .ascending ? -1 : 1 }
            if PrimitiveValue.isOrdered(right, before: left) { return criterion.order == .ascending ? 1 : -1 }
        }
        return lhs.id - rhs.id
    }

    private func isTrue(_ condition: Condition<Film>, of film: Film) -> Bool {
        switch condition.form {
        case .constant(let value): return value
        case .not(let condition): return !isTrue(condition, of: film)
        case .and(let conditions): return conditions.allSatisfy { isTrue($0, of: film) }
        case .or(let conditions): return conditions.contains { isTrue($0, of: film) }
        case .membership(let attribute, let values): return values.contains { isEqual(attribute.value(in: film), $0) }
        case .between(let attribute, let lower, let upper):
            return isAtMost(lower, attribute.value(in: film)) && isAtMost(attribute.value(in: film), upper)
        case .comparison(let attribute, let comparison, let value):
            let stored = attribute.value(in: film)
            switch comparison {
            case .equal: return isEqual(stored, value)
            case .notEqual: return !isEqual(stored, value)
            case .less: return isAtMost(stored, value) && !isEqual(stored, value)
            case .lessOrEqual: return isAtMost(stored, value)
            case .greater: return isAtMost(value, stored) && !isEqual(stored, value)
            case .greaterOrEqual: return isAtMost(value, stored)
            }
        case .text(let attribute, let match):
            guard case .text(let text) = attribute.value(in: film) else { return false }
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
