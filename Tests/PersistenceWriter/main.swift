// Writes numbers to a table of a database until it is killed, and says after each write that it was done: the process that the
// tests of durability kill.

import Feedback
import Foundation
import Persistence

struct Entry: Identifiable, Sendable {
    var id: Int
    var text: String

    static func schema(_ table: String) -> Schema<Entry> {
        Schema(table, Entry.init, Column("id", \.id), Column("text", \.text, isIndexed: true))
    }
}

let words = CommandLine.arguments
guard words.count == 3 else { exit(2) }

do {
    // Others may write to the same file without a pause.
    var configuration = SQLiteDatabase.Configuration()
    configuration.patience = .seconds(600)
    let entries = try SQLiteStore(
        Entry.schema(words[2]), in: SQLiteDatabase(.file(words[1]), configuration: configuration))
    let text = String(repeating: "a text that fills pages ", count: 20)
    entries.all().count().startWithResult { result in
        guard case .success(let count) = result else { exit(3) }
        var next = count
        while true {
            // Single writes, batches, and overwriting, in turn.
            let batch = next % 3 == 0 ? 25 : 1
            let objects = (next..<next + batch).map { Entry(id: $0, text: "\($0) \(text)") }
            next += batch
            let last = next
            entries.upsert([Entry(id: 0, text: "\(last)")] + objects.filter { $0.id > 0 }).startWithResult { result in
                guard case .success = result else { exit(4) }
                FileHandle.standardOutput.write(Data("\(last)\n".utf8))
            }
        }
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(5)
}
