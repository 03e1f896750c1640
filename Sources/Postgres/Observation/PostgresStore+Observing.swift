import Feedback
import Persistence
import Synchronization

extension PostgresStore: ObservableStore {
    /// Emits the answer now, and again whenever a write of any process has changed it.
    ///
    /// Answers are emitted on a queue of the database. While the server cannot be reached, none are emitted; once it is
    /// back, the current answer follows if it has changed.
    ///
    /// The database stays open until the observation is disposed of, since others may write to it.
    public func observe(_ query: Query<PostgresStore>) -> SignalProducer<[Object], StoreError> {
        SignalProducer { [table, database] observer, lifetime in
            let question = query.question
            do throws(StoreError) {
                try database.checkNotInside()
                database.listener.onQueue { [listener = database.listener] in
                    guard !lifetime.hasEnded else { return }
                    do throws(StoreError) {
                        let end = try listener.observed.observe(
                            QueryKey(question, store: table.number),
                            ObservedQuery(
                                question, table: table.isPart ? PostgresListener.anyTable : table.schema.name,
                                id: table.schema.id.attribute,
                                areSame: { table.schema.areSame($0, $1) }, ask: table.asking(question, database)),
                            by: observer)
                        // Other processes may write after the last other reference is gone, so the observation keeps
                        // the database alive.
                        lifetime.observeEnded { withExtendedLifetime(database) { end() } }
                    } catch {
                        observer.send(error: error)
                    }
                }
            } catch {
                observer.send(error: error)
            }
        }
    }
}

extension PostgresTable {
    /// Returns a function that asks for the current answer of an observed query.
    ///
    /// It returns nil if the database was deallocated, or if the server cannot be reached and the observers already
    /// have an answer.
    fileprivate func asking(
        _ question: Question<Object>, _ database: PostgresDatabase
    ) -> @Sendable () throws(StoreError) -> [Object]? {
        let answers = AnswerCount()
        return { [weak database] () throws(StoreError) in
            guard let database else { return nil }
            do throws(StoreError) {
                if answers.isZero { try database.listener.listen() }
                let objects = try database.read { connection throws(StoreError) in
                    try execute(question, on: connection, isInTransaction: false)
                }
                answers.increase()
                return objects
            } catch {
                guard !answers.isZero, case .unreachable = error else { throw error }
                database.listener.tellSoon(schema.name)
                return nil
            }
        }
    }
}

/// The number of answers to an observed query.
private final class AnswerCount: Sendable {
    private let count = Atomic(0)

    var isZero: Bool { count.load(ordering: .acquiring) == 0 }

    func increase() { count.add(1, ordering: .releasing) }
}
