import Feedback
import Foundation
import Persistence

/// A record of the times at which a remote store last answered each question.
///
///     AnswerLog()                       // while the program runs
///     try AnswerLog(in: database)       // as long as the objects that are mirrored in the same database
public final class AnswerLog: Sendable {
    private struct Entry: Identifiable, Equatable, Sendable {
        /// The question in words, with the name of its table.
        let id: String
        let date: Date

        static let schema = Schema<Entry>(
            "answers", { Entry(id: $0, date: $1) }, Column("id", \.id), Column("date", \.date))
    }

    /// The number of questions that are kept. The ones that were answered longest ago are removed first.
    static let capacity = 1_000

    private let entries: Locked<[String: Date]>
    private let store: SQLiteStore<Entry>?

    /// Makes a log in memory.
    public init() {
        entries = Locked([:])
        store = nil
    }

    /// Makes a log in the table `answers` of a database. If the table cannot be read, since the file is damaged, it is
    /// emptied.
    public init(in database: SQLiteDatabase) throws(StoreError) {
        let store = try SQLiteStore(Entry.schema, in: database)
        var kept: [Entry] = []
        do throws(StoreError) {
            kept = try store.answer(store.all())
        } catch {
            guard case .unreadable = error else { throw error }
            try database.execute("DELETE FROM answers")
        }
        entries = Locked(Dictionary(kept.map { ($0.id, $0.date) }, uniquingKeysWith: max))
        self.store = store
    }

    /// Returns the time at which a question was answered last, or `now` if the clock was set back since; nil if it never was.
    func date(of question: String, now: Date) -> Date? { entries.withLock { $0[question].map { min($0, now) } } }

    func note(_ question: String, at date: Date) async throws(StoreError) {
        let forgotten = entries.withLock { entries -> [String] in
            entries[question] = date
            guard entries.count > Self.capacity else { return [] }
            // A date in the future was noted before the clock was set back.
            func age(_ answered: Date) -> TimeInterval { date.timeIntervalSince(answered).magnitude }
            let oldest = entries.sorted { age($0.value) > age($1.value) }.prefix(Self.capacity / 10).map(\.key)
            for question in oldest { entries[question] = nil }
            return oldest
        }
        guard let store else { return }
        try await store.upsert(Entry(id: question, date: date))
        if !forgotten.isEmpty { try await store.delete(where: .in(\.id, forgotten)) }
    }
}
