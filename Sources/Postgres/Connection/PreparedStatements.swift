import CPostgres
import Persistence

/// The names of the statements that are prepared on one connection.
struct PreparedStatements {
    struct Key: Hashable {
        let text: StatementText
        let types: [Oid]

        init(text: String, types: [Oid]) {
            self.text = StatementText(text)
            self.types = types
        }
    }

    /// The number of statements that a connection keeps; each one takes memory on the server.
    static var maximum: Int { 256 }

    private var names: [Key: (name: String, lastUse: Int)] = [:]
    private var clock = 0

    var isFull: Bool { names.count >= Self.maximum }

    /// The name of a statement that is prepared.
    subscript(key: Key) -> String? {
        mutating get {
            clock += 1
            guard let index = names.index(forKey: key) else { return nil }
            names.values[index].lastUse = clock
            return names.values[index].name
        }
    }

    /// Makes a name for a statement that is about to be prepared.
    mutating func add(_ key: Key) -> String {
        clock += 1
        let name = "feedback_\(clock)"
        names[key] = (name, clock)
        return name
    }

    mutating func remove(_ key: Key) { names[key] = nil }

    /// Removes the least recently used statement if there are more than `count`; returns its name.
    mutating func removeOldest(keeping count: Int = PreparedStatements.maximum - 1) -> String? {
        guard names.count > count, let oldest = names.min(by: { $0.value.lastUse < $1.value.lastUse }) else {
            return nil
        }
        names[oldest.key] = nil
        return oldest.value.name
    }
}
