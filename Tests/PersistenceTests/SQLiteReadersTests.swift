import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Synchronization
import Testing

@testable import Persistence

@Suite("Readers of a SQLite database")
struct SQLiteReadersTests {
    @Test("While nobody writes, eight threads read at once, also on a machine with few processors", .onOwnThread)
    func eightAtOnce() throws {
        let database = try SQLiteDatabase(.memory)
        let (arrived, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let group = DispatchGroup()
        for _ in 0..<8 {
            group.enter()
            Thread.detachNewThread {
                try? database.read { _ in
                    arrived.signal()
                    mayEnd.wait()
                }
                group.leave()
            }
        }
        let end = DispatchTime.now() + .seconds(60)
        for _ in 0..<8 { #expect(arrived.wait(timeout: end) == .success) }
        for _ in 0..<8 { mayEnd.signal() }
        group.wait()
    }

    @Test("A transaction in memory may write more than the first region of the log's index lists")
    func largeTransaction() throws {
        let films = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        // A region lists 4,062 pages of 4,096 bytes each, and the one after it 4,096.
        let large = Film.fixture(id: 1, poster: Data(repeating: 7, count: 40_000_000))
        try films.insert([.fixture(id: 0), large]).get()
        #expect(try films.object(withId: 1).get() == large)
        #expect(try films.database.checkIntegrity() == [])
        #expect(try films.delete(ids: [1]).get() == 1)
        #expect(try films.all().result().get() == [.fixture(id: 0)])
    }
}
