import FeedbackTesting
import Persistence
import Testing

@testable import Postgres

@Suite("Requests to stop the work of a PostgreSQL server")
struct PostgresNoticeTests {
    @Test(
        "A cancelled connection returns to its pool, whether its work ends before or after the server takes notice",
        .onOwnThread)
    func returned() async throws {
        let address = try PostgresAddress(TestServer.running().address())
        let pool = PostgresPool(address, maximum: 1, patience: .seconds(60))
        let other = try PostgresConnection(address, patience: .seconds(60))
        for round in 0..<40 {
            let connection: PostgresConnection = try await pool.take()
            let cancellation = PostgresCancellation()
            #expect(cancellation.begin(connection))
            cancellation.cancel()
            // Meanwhile, the server may or may not take notice.
            for _ in 0..<round { try other.run("SELECT 1") }
            #expect(cancellation.end(connection, in: pool))
            await eventually("the connection is back") { pool.idle == 1 }
        }
    }

    @Test("Work that was cancelled before does not begin, and what has not begun is not stopped")
    func before() async throws {
        let address = try PostgresAddress(TestServer.running().address())
        let pool = PostgresPool(address, maximum: 1, patience: .seconds(60))
        let connection: PostgresConnection = try await pool.take()
        let cancellation = PostgresCancellation()
        cancellation.cancel()
        #expect(!cancellation.begin(connection))
        pool.giveBack(connection)
        #expect(pool.idle == 1)
        let unused = PostgresCancellation()
        let again: PostgresConnection = try await pool.take()
        #expect(unused.begin(again))
        #expect(!unused.end(again, in: pool))
        #expect(pool.idle == 0)
        pool.giveBack(again)
    }
}
