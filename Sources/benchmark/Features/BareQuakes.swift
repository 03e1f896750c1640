import CSQLite
import Foundation
import Quakes

/// The C API, used as efficiently as possible, on the table of the feature.
// Unchecked, because one benchmark at a time uses it.
final class BareQuakes: BareDatabase, @unchecked Sendable {
    private static let columns = "quake_id, magnitude, time, updated, name, longitude, latitude"

    override init(path: String) {
        super.init(path: path)
        beginLog()
        execute(
            """
            CREATE TABLE IF NOT EXISTS quakes (quake_id TEXT NOT NULL PRIMARY KEY, magnitude REAL NOT NULL,
            time REAL NOT NULL, updated REAL NOT NULL, name TEXT NOT NULL, longitude REAL NOT NULL,
            latitude REAL NOT NULL)
            """)
    }

    // MARK: - Transactions

    func upsert(_ quakes: [Quake]) {
        execute("BEGIN IMMEDIATE")
        write(quakes)
        execute("COMMIT")
    }

    func delete(_ id: Quake.ID) {
        execute("BEGIN IMMEDIATE")
        let statement = prepare("DELETE FROM quakes WHERE quake_id = ?")
        bind(id, statement, 1) { sqlite3_step(statement) }
        sqlite3_finalize(statement)
        execute("COMMIT")
    }

    /// Reads the stored quakes, and writes the quakes of a feed that differ.
    ///
    /// - Returns: The quakes that differ.
    func merge(_ feed: [Quake]) -> [Quake] {
        execute("BEGIN IMMEDIATE")
        let stored = read()
        var known: [Quake.ID: Quake] = Dictionary(minimumCapacity: stored.count)
        for quake in stored { known[quake.id] = quake }
        let changed = feed.filter { quake in quake.magnitude > 0 && known[quake.id] != quake }
        write(changed)
        execute("COMMIT")
        return changed
    }

    // MARK: - Rows

    private func write(_ quakes: [Quake]) {
        let statement = prepare("INSERT OR REPLACE INTO quakes (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)")
        for quake in quakes {
            sqlite3_bind_double(statement, 2, quake.magnitude)
            sqlite3_bind_double(statement, 3, quake.time.timeIntervalSinceReferenceDate)
            sqlite3_bind_double(statement, 4, quake.updated.timeIntervalSinceReferenceDate)
            sqlite3_bind_double(statement, 6, quake.longitude)
            sqlite3_bind_double(statement, 7, quake.latitude)
            bind(quake.quakeId, statement, 1) { bind(quake.name, statement, 5) { sqlite3_step(statement) } }
            sqlite3_reset(statement)
        }
        sqlite3_finalize(statement)
    }

    private func read() -> [Quake] {
        let statement = prepare("SELECT \(Self.columns) FROM quakes")
        defer { sqlite3_finalize(statement) }
        var quakes: [Quake] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            quakes.append(
                Quake(
                    quakeId: text(statement, 0), magnitude: sqlite3_column_double(statement, 1),
                    time: Date(timeIntervalSinceReferenceDate: sqlite3_column_double(statement, 2)),
                    updated: Date(timeIntervalSinceReferenceDate: sqlite3_column_double(statement, 3)),
                    name: text(statement, 4), longitude: sqlite3_column_double(statement, 5),
                    latitude: sqlite3_column_double(statement, 6)))
        }
        return quakes
    }

    /// Binds a text without a copy while `body` runs.
    @discardableResult
    private func bind(_ text: String, _ statement: OpaquePointer?, _ index: Int32, _ body: () -> Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                _ = sqlite3_bind_text(statement, index, $0.baseAddress, Int32($0.count), nil)
            }
            return body()
        }
    }
}

/// Quakes in an array, which is filtered and sorted each time.
// Unchecked, because one benchmark at a time uses it.
final class QuakeArray: @unchecked Sendable {
    /// The quakes, in the order of time.
    private var quakes: [Quake]

    init(_ quakes: [Quake]) { self.quakes = quakes.sorted { $0.time < $1.time } }

    /// Returns the quakes of a day whose name contains a text, by magnitude or the newest first.
    func select(_ span: Range<Date>, _ text: String, byMagnitude: Bool = false) -> [Quake] {
        let found = quakes.filter { quake in
            guard span.contains(quake.time) else { return false }
            guard !text.isEmpty else { return true }
            return quake.name.range(of: text, options: [.caseInsensitive, .diacriticInsensitive]) != nil
        }
        return found.sorted { byMagnitude ? $0.magnitude < $1.magnitude : $0.time > $1.time }
    }

    func remove(_ id: Quake.ID) {
        if let place = quakes.firstIndex(where: { $0.id == id }) { quakes.remove(at: place) }
    }

    func replace(_ changed: [Quake]) {
        var new: [Quake.ID: Quake] = Dictionary(minimumCapacity: changed.count)
        for quake in changed { new[quake.id] = quake }
        for place in quakes.indices {
            if let quake = new.removeValue(forKey: quakes[place].id) { quakes[place] = quake }
        }
        quakes += new.values
        quakes.sort { $0.time < $1.time }
    }
}

/// A feed, decoded with as little code as possible; a malformed feature is an error.
struct BareFeed: Decodable {
    struct Feature: Decodable {
        struct Properties: Decodable {
            var mag: Double?
            var place: String?
            var time: Double
            var updated: Double
        }

        struct Geometry: Decodable {
            var coordinates: [Double]
        }

        var id: String
        var properties: Properties
        var geometry: Geometry
    }

    var features: [Feature]

    var quakes: [Quake] {
        features.compactMap { feature in
            guard let magnitude = feature.properties.mag, magnitude > 0 else { return nil }
            return Quake(
                quakeId: feature.id, magnitude: magnitude,
                time: Date(timeIntervalSince1970: feature.properties.time / 1_000),
                updated: Date(timeIntervalSince1970: feature.properties.updated / 1_000),
                name: feature.properties.place ?? "", longitude: feature.geometry.coordinates[0],
                latitude: feature.geometry.coordinates[1])
        }
    }
}
