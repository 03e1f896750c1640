import CSQLite
import Foundation
import Testing

@testable import Persistence

@Suite("When the log is copied into the file")
struct SQLiteCheckpointsTests {
    @Test("From 1,000 pages on without waiting, and from 4,000 on with")
    func pages() {
        let checkpoints = SQLiteCheckpoints()
        #expect(checkpoints.action(pages: 0) == .none && checkpoints.action(pages: 999) == .none)
        #expect(checkpoints.action(pages: 1_000) == .passive && checkpoints.action(pages: 3_999) == .passive)
        #expect(checkpoints.action(pages: 4_000) == .restart)
    }

    @Test("After a failed attempt, it waits again only after 4,000 more pages; after a good one, as at first")
    func failed() {
        var checkpoints = SQLiteCheckpoints()
        checkpoints.restarted(false, pages: 5_000)
        #expect(checkpoints.action(pages: 8_999) == .passive && checkpoints.action(pages: 9_000) == .restart)
        checkpoints.restarted(true, pages: 0)
        #expect(checkpoints.action(pages: 3_999) == .passive && checkpoints.action(pages: 4_000) == .restart)
    }

    @Test("A log that a commit makes long is begun anew by the next one, if nobody reads it")
    func longLog() throws {
        let films = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        func pages() throws -> Int {
            var pages = 0
            try films.database.withWriter { writer in pages = writer.connection.logPages }
            return pages
        }
        try films.insert(.fixture(id: 1, poster: Data(count: 5_000_000))).get()
        #expect(try pages() > 1_200)
        try films.insert(.fixture(id: 2)).get()
        #expect(try (1..<100).contains(pages()))
    }

    @Test("After a reader has kept the log from being begun anew, the next writes do not wait for it again")
    func slowReader() throws {
        let films = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        try films.database.read { connection throws(StoreError) in
            try connection.execute("BEGIN; SELECT * FROM films")
            try films.perform { films throws(StoreError) in
                try films.insert([.fixture(id: 1, poster: Data(count: 18_000_000))])
            }
            try connection.execute("COMMIT")
        }
        try films.database.withWriter { writer in
            #expect(writer.connection.logPages > 4_000)
            #expect(writer.checkpoints.action(pages: writer.connection.logPages) == .passive)
        }
    }

    @Test("Another patience lasts as long as the work that it is for, whether or not that fails")
    func otherPatience() throws {
        let place = try SQLiteConnection.Location(.memory, patience: .milliseconds(1_500))
        let connection = try SQLiteConnection(place, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        func patience() throws(StoreError) -> Int { try connection.integer("PRAGMA busy_timeout") }
        #expect(try patience() == 1_500)
        #expect(try connection.withPatience(.milliseconds(50), patience) == 50)
        #expect(try patience() == 1_500)
        #expect(throws: StoreError.self) {
            try connection.withPatience(.milliseconds(50)) { () throws(StoreError) in
                try connection.execute("nonsense")
            }
        }
        #expect(try patience() == 1_500)
    }

    @Test("A duration is told to SQLite in milliseconds, and is neither below zero nor too large")
    func milliseconds() {
        #expect(Duration.milliseconds(1_234).milliseconds == 1_234)
        #expect(Duration.microseconds(2_999).milliseconds == 2)
        #expect(Duration.seconds(-3).milliseconds == 0)
        #expect(Duration.seconds(2_147_483).milliseconds == 2_147_483_000)
        for large in [Duration.seconds(2_147_484), .seconds(1 << 40), .seconds(Int64.max)] {
            #expect(large.milliseconds == .max)
        }
    }
}
