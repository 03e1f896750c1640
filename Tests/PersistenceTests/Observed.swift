import Feedback
import Persistence

/// An observed query, and what its observer was told.
struct Observed<S: ObservableStore> {
    let query: Query<S>
    let emissions: Emissions<[S.Object]>
    private let disposable: any Disposable

    init(_ query: Query<S>) {
        self.query = query
        (emissions, disposable) = query.observe().collecting()
    }
}

extension Observed {
    /// Returns true if what was told last is the present answer.
    func isTold(in schema: Schema<S.Object>) throws -> Bool {
        let answer = try query.result().get()
        guard let told = emissions.all.last, told.count == answer.count else { return false }
        return zip(told, answer).allSatisfy { told, stored in
            // NaN equals nothing, but its values are the same.
            schema.columns.allSatisfy { $0.attribute.value(in: told) == $0.attribute.value(in: stored) }
        }
    }
}

extension Observed where S.Object == Film {
    /// True if what was told last is the present answer.
    var isTold: Bool {
        get throws { try isTold(in: Film.schema) }
    }
}

struct Tag: Identifiable, Hashable, Sendable {
    var id: Int
    var name: String

    static let schema = Schema<Tag>("tags", Tag.init, Column("id", \.id), Column("name", \.name))
}

/// A value that counts how often it is made. Tests that run at the same time use different values.
struct Price: RawRepresentable, Primitive, Hashable {
    private static let made = Locked<[Int: Int]>([:])

    let rawValue: Int

    init(rawValue: Int) {
        self.rawValue = rawValue
        Self.made.withLock { $0[rawValue, default: 0] += 1 }
    }

    static func timesMade(_ values: Range<Int>) -> Int {
        made.withLock { $0.reduce(0) { values.contains($1.key) ? $0 + $1.value : $0 } }
    }
}

struct Good: Identifiable, Hashable, Sendable {
    var id: Int
    var price: Price

    static let schema = Schema<Good>("goods", Good.init, Column("id", \.id), Column("price", \.price))
}
