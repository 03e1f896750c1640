import Feedback

/// Who watches the tables of a database. It is part of what the writer's lock guards.
struct SQLiteWatches {
    private var watches: [SQLiteWatch] = []
    private var affected: Set<ObjectIdentifier> = []

    mutating func add(_ watch: SQLiteWatch) {
        watches.removeAll(where: \.isOver)
        watches.append(watch)
    }

    /// Whether anybody watches a table, whose changes are therefore to be told to ``note(table:_:)``.
    func areThere(for table: String) -> Bool { watches.contains { $0.table == table && !$0.isOver } }

    /// Notes objects of a table that came or went, or were changed: as they were, and as they are.
    mutating func note<Object: Sendable>(table: String, _ objects: [Object]) {
        for watch in watches where watch.table == table && !affected.contains(ObjectIdentifier(watch)) {
            if objects.contains(where: { watch.couldAnswer(with: $0) }) { affected.insert(ObjectIdentifier(watch)) }
        }
    }

    mutating func forgetChanges() { affected = [] }

    /// Finds the new answers for those whom the changes concern.
    mutating func answer(on connection: SQLiteConnection, through deliveries: Deliveries) {
        guard !affected.isEmpty else { return }
        for watch in watches where affected.contains(ObjectIdentifier(watch)) {
            if let delivery = watch.answer(on: connection) { deliveries.put(delivery) }
        }
        affected = []
        watches.removeAll(where: \.isOver)
    }
}

/// One query that is watched, until it ends.
final class SQLiteWatch: Sendable {
    private struct Content: Sendable {
        let couldBeAnswer: @Sendable (Any) -> Bool
        let answer: @Sendable (SQLiteConnection) -> @Sendable () -> Void
    }

    let table: String
    private let content: Locked<Content?>

    /// - Parameter couldBeAnswer: Whether an object that came or went could change the answer.
    /// - Parameter answer: Asks again; what it returns tells the observer.
    init(
        table: String, couldBeAnswer: @escaping @Sendable (Any) -> Bool,
        answer: @escaping @Sendable (SQLiteConnection) -> @Sendable () -> Void
    ) {
        self.table = table
        content = Locked(Content(couldBeAnswer: couldBeAnswer, answer: answer))
    }

    /// Ends the watch from any thread, without waiting for a writer.
    func end() {
        let dropped = content.withLock { content in
            defer { content = nil }
            return content
        }
        // What the observer held goes here, outside of the lock.
        _ = dropped
    }

    var isOver: Bool { content.withLock { $0 == nil } }

    func couldAnswer(with object: Any) -> Bool { content.withLock { $0 }?.couldBeAnswer(object) ?? false }

    func answer(on connection: SQLiteConnection) -> (@Sendable () -> Void)? {
        content.withLock { $0 }?.answer(connection)
    }
}
