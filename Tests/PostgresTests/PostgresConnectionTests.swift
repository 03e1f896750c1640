import CPostgres
import FeedbackTesting
import Foundation
import Persistence
import Synchronization
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

    enum Way: CaseIterable {
        case run, await, pipeline

        func use(_ text: String, on connection: PostgresConnection) async throws {
            switch self {
            case .run: try connection.run(text)
            case .await: _ = try await connection.result(of: text, PostgresParameters())
            case .pipeline:
                _ = try connection.pipeline { connection throws(PipelineError) in try connection.send(text) }
            }
        }
    }

    @Test(
        "A connection keeps 256 statements prepared; then it closes the one that was not used for longest, or half of them before a pipeline",
        arguments: Way.allCases)
    func prepared(_ way: Way) async throws {
        let connection = try connection()
        func expectPrepared(_ numbers: [Int]) throws {
            let rows = try connection.runOnce(
                """
                SELECT substring(statement FROM 'SELECT ([0-9]+)')::int8 FROM pg_prepared_statements
                WHERE statement LIKE 'SELECT %' ORDER BY 1
                """
            ).rows
            #expect(rows == numbers.map { [.integer(Int64($0))] })
        }
        for number in 0..<256 { try await way.use("SELECT \(number)", on: connection) }
        try expectPrepared(Array(0..<256))
        try await way.use("SELECT 0", on: connection)
        try await way.use("SELECT 256", on: connection)
        try expectPrepared([0] + ((way == .pipeline ? 128 : 2)...256))
    }

    @Test("Each statement that is prepared has a name of its own, until it is removed")
    func names() {
        var statements = PreparedStatements()
        let keys = (0..<300).map { PreparedStatements.Key(text: "SELECT \($0)", types: []) }
        let names = keys.map { statements.add($0) }
        #expect(Set(names).count == 300)
        for (key, name) in zip(keys, names) { expect(statements[key], name) }
        statements.remove(keys[7])
        expect(statements[keys[7]], nil)
        // The first one was used least recently, unless it is used again.
        expect(statements[keys[0]], names[0])
        expect(statements.removeOldest(keeping: 298), names[1])
        expect(statements.removeOldest(keeping: 298), nil)
        expect(statements.isFull, true)
    }

    /// In a process of its own, since other tests wait for answers, too.
    @Test(
        "A thread that waits alone looks for its answer first; a task whose answer takes long is suspended, and notes it"
    )
    func alone() async throws {
        let address = try TestServer.running().address()
        await #expect(processExitsWith: .success) { [address = address as String] in
            let slow = "SELECT pg_sleep(0.02)"
            for isAwaited in [false, true] {
                let connection = try PostgresConnection(PostgresAddress(address), patience: .seconds(60))
                #expect(connection.pace.isSoon)
                var (looks, isSoon, count) = (true, isAwaited, 0)
                // On a busy machine, the answer may be there after the first look, or before the task waits.
                while looks || isSoon, count < 100 {
                    if isAwaited {
                        _ = try await connection.result(of: slow, PostgresParameters())
                    } else {
                        try connection.run(slow)
                    }
                    looks = connection.pace.looks(isAlone: true)
                    isSoon = isAwaited && connection.pace.isSoon
                    count += 1
                }
                #expect(count < 100)
                #expect(PostgresConnection.waiting.load(ordering: .relaxed) == 0)
            }
        }
    }

    @Test("A connection on which libpq itself has met an error is not used again")
    func errorOfLibrary() throws {
        let connection = try connection()
        // Its answer is not read, so libpq refuses to send the next statement.
        #expect(PQsendQuery(connection.handle, "SELECT 1") == 1)
        let error = #expect(throws: StoreError.self) { try connection.run("SELECT 2") }
        guard case .unreachable? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(connection.isLost)
    }

    @Test("A connection to which the server has sent something meanwhile is used again, unless that was its end")
    func sentMeanwhile() throws {
        let pool = PostgresPool(
            try PostgresAddress(TestServer.running().address()), maximum: 1, patience: .seconds(60))
        let connection = try pool.take()
        let session = PQbackendPID(connection.handle)
        try connection.run("LISTEN \"meanwhile \(session)\"")
        pool.giveBack(connection)
        let other = try self.connection()
        try other.run("NOTIFY \"meanwhile \(session)\"")
        var descriptor = pollfd(fd: PQsocket(connection.handle), events: Int16(POLLIN), revents: 0)
        #expect(poll(&descriptor, 1, 60_000) == 1)
        let again = try pool.take()
        #expect(PQbackendPID(again.handle) == session)
        #expect(PQnotifies(again.handle).map { PQfreemem($0) } != nil)
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
        "A message does not show the password, except as a part of another word", .timeLimit(.minutes(1)), .onOwnThread,
        arguments: [
            ("zebra", "…"), ("zebra, zebra", "…, …"), ("a (zebra)", "a (…)"), ("zebras", "zebras"),
            ("azebra", "azebra"), ("zebras of zebra", "zebras of …"),
        ])
    func redacted(message: String, shown: String) throws {
        #expect(try PostgresAddress("postgresql://anna:zebra@/films").redacted(message) == shown)
    }
}
