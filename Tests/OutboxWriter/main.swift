// Counts in a few objects of a synced store until it is killed, and notes each write that was acknowledged in a file: the
// process that the tests of the outbox kill.

import Foundation
import Networking
import Persistence
import Sync

struct Counter: Identifiable, Sendable {
    var id: UUID
    var value: Int

    static let schema = Schema<Counter>("counters", Counter.init, Column("id", \.id), Column("value", \.value))
}

let words = CommandLine.arguments
guard words.count == 4, let url = URL(string: words[2]), let notes = FileHandle(forWritingAtPath: words[3]) else {
    exit(2)
}

do {
    let session = BackendSession(
        environment: BackendEnvironment(name: "test", services: [.core: url]),
        credentials: FixedCredentials(.bearer("test")))
    let outbox = try Outbox(in: SQLiteDatabase(.file(words[1])))
    let counters = try SyncedStore(
        Counter.schema, remote: PostgRESTStore(Counter.schema, accessible: session), outbox: outbox)
    try notes.seekToEnd()
    while true {
        for number: UInt8 in 1...5 {
            let id = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number))
            let value = (try await counters.local.object(withId: id)?.value ?? 0) + 1
            try await counters.save(Counter(id: id, value: value))
            try notes.write(contentsOf: Data("\(number) \(value)\n".utf8))
            try await Task.sleep(for: .microseconds(500))
        }
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(5)
}
