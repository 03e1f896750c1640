import Persistence

@testable import Sync

/// A row as the server has it, and as a client reads it that knows fewer moods.
struct Day: Identifiable, Equatable, Sendable {
    var id: Int
    var name: String
    var mood: String
    var version: Int

    var calmed: Day { Day(id: id, name: name, mood: "calm", version: version) }

    var elated: Day { Day(id: id, name: name, mood: "elated", version: version) }

    static let schema = Schema<Day>(
        "days", Day.init, Column("id", \.id), Column("name", \.name), Column("mood", \.mood),
        Column("version", \.version))
}

struct OldDay: Identifiable, Equatable, Sendable {
    enum Mood: String, Primitive { case calm, sleepy }

    var id: Int
    var name: String
    var mood: Mood
    var version: Int

    static let schema = Schema<OldDay>(
        "days", OldDay.init, Column("id", \.id), Column("name", \.name), Column("mood", \.mood),
        Column("version", \.version))
}

extension Day {
    /// Days of which an old program cannot read 3 and 6.
    static let week = (1...7).map { number in
        Day(id: number, name: "\(number)", mood: number.isMultiple(of: 3) ? "elated" : "calm", version: number)
    }
}

extension SyncedStore<OldDay> {
    /// The ids of the local objects.
    func ids() async throws -> [Int] { try await local.all().sorted(by: \.id).result().map(\.id) }
}

extension UnreadableObject {
    /// A day whose mood an old program does not know.
    static func elated(_ id: Int) -> UnreadableObject {
        UnreadableObject(table: "days", objectID: "\(id)", column: "mood", found: "\"elated\"")
    }
}
