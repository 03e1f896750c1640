import CPostgres
import Foundation
import Persistence
import Testing

@testable import Postgres

@Suite("One connection to PostgreSQL")
struct PostgresConnectionTests {
    private func connection() throws -> PostgresConnection { try TestServer.running().database().pool.take() }

    @Test("An answer that does not come while the thread looks for it is noted")
    func missed() throws {
        let (connection, other) = (try connection(), try connection())
        let key = Int64.random(in: 0..<Int64.max)
        try other.run("SELECT pg_advisory_lock(\(key))")
        #expect(PQsendQuery(connection.handle, "SELECT pg_advisory_lock(\(key))") == 1)
        connection.lookForAnswer()
        expect(connection.pace.looks(isAlone: true), false)
        try other.run("SELECT pg_advisory_unlock(\(key))")
        while let result = PQgetResult(connection.handle) { PQclear(result) }
    }

    @Test("An answer that is there is found at once")
    func found() throws {
        let connection = try connection()
        #expect(PQsendQuery(connection.handle, "SELECT 1") == 1)
        var descriptor = pollfd(fd: PQsocket(connection.handle), events: Int16(POLLIN), revents: 0)
        #expect(poll(&descriptor, 1, 60_000) == 1)
        connection.lookForAnswer()
        #expect(PQisBusy(connection.handle) == 0)
        expect(connection.pace.looks(isAlone: true), true)
        while let result = PQgetResult(connection.handle) { PQclear(result) }
    }

    @Test("A statement that cannot be prepared fails with the same error each time")
    func notPrepared() async throws {
        let connection = try connection()
        func expectFailure(_ body: () async throws -> Void) async {
            do {
                try await body()
                Issue.record("it did not fail")
            } catch {
                let error = (error as? PipelineError)?.error ?? error as? StoreError
                guard case .postgres(code: "42703", _)? = error else {
                    Issue.record("\(String(describing: error)) is another error")
                    return
                }
            }
        }
        for _ in 1...2 {
            await expectFailure { try connection.run("SELECT nothing") }
            await expectFailure { _ = try await connection.result(of: "SELECT nothing", PostgresParameters()) }
            await expectFailure {
                _ = try connection.pipeline { connection throws(PipelineError) in try connection.send("SELECT nothing")
                }
            }
        }
        #expect(!connection.isOutdated)
    }

    @Test("A connection keeps 256 statements prepared, and closes half of them before it prepares another one")
    func prepared() throws {
        let connection = try connection()
        let counts = try [256, 1].map { count in
            for _ in 0..<count {
                _ = try connection.pipeline { connection throws(PipelineError) in
                    try connection.send("SELECT '\(UUID())'")
                }
            }
            return try connection.runOnce("SELECT count(*) FROM pg_prepared_statements").integer
        }
        #expect(counts == [256, 129])
    }

    @Test("A connection that has lost its prepared statements is not used again")
    func outdated() throws {
        let database = try TestServer.running().database()
        let pool = database.pool
        let connection = try pool.take()
        let idle = pool.idle
        try connection.run("SELECT 1")
        try connection.execute("DEALLOCATE ALL")
        #expect(throws: StoreError.self) { try connection.run("SELECT 1") }
        pool.giveBack(connection)
        #expect(pool.idle == idle)
        let other = try pool.take()
        pool.giveBack(other)
        #expect(pool.idle == idle + 1)
    }

    @Test(
        "A message does not show the password, except as a part of another word",
        arguments: [
            ("zebra", "…"), ("zebra, zebra", "…, …"), ("a (zebra)", "a (…)"), ("zebras", "zebras"),
            ("azebra", "azebra"), ("zebras of zebra", "zebras of …"),
        ])
    func redacted(message: String, shown: String) throws {
        #expect(try PostgresAddress("postgresql://anna:zebra@/films").redacted(message) == shown)
    }
}
