import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@testable import Postgres

@Suite("The listener of PostgreSQL's observers")
struct PostgresListenerTests {
    /// A server that ends each connection at once, and notes when it came.
    private final class EndingServer: Sendable {
        private let socket: Int32
        private let arrivals = Locked<[ContinuousClock.Instant]>([])

        /// - Parameter folder: The folder of its socket, which does not exist.
        init(at folder: String) throws {
            socket = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            let bound = CuttingProxy.withAddress("\(folder)/.s.PGSQL.5432") { bind(self.socket, $0, $1) }
            guard bound == 0, listen(socket, 16) == 0 else { throw POSIXError(.EADDRINUSE) }
            Thread.detachNewThread { [self] in
                while true {
                    let client = accept(socket, nil, nil)
                    if client < 0 { return }
                    arrivals.withLock { $0.append(.now) }
                    close(client)
                }
            }
        }

        var times: [ContinuousClock.Instant] { arrivals.withLock(\.self) }

        func stop() {
            shutdown(socket, Int32(SHUT_RDWR))
            close(socket)
        }
    }

    @Test("It asks a server that is gone again after longer and longer pauses")
    func pauses() async throws {
        let server = try TestServer.running()
        let proxy = try CuttingProxy(to: server.folder)
        let folder = proxy.folder
        let name = "pausing_\(UUID().uuidString.prefix(8))"
        let films = try await PostgresStore(
            Film.schema, in: PostgresDatabase(server.address(folder: folder) + "&application_name=\(name)"))
        let answers = Locked(0)
        let observation = films.all().observe().startWithResult { _ in answers.withLock { $0 += 1 } }
        defer { observation.dispose() }
        await eventually("the first answer is there") { answers.withLock(\.self) == 1 }
        proxy.close()
        _ = try await PostgresDatabase(server.address()).rows(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = \(name)")
        let ending = try EndingServer(at: folder)
        defer {
            ending.stop()
            try? FileManager.default.removeItem(atPath: folder)
        }
        // Its first pauses are of 50, 100 and 200 ms. A read that asks again may connect meanwhile.
        await eventually("it has paused for longer") {
            let times = ending.times
            return zip(times, times.dropFirst()).contains { $0.duration(to: $1) >= .milliseconds(350) }
        }
    }

    /// A listener with a name of its own, which listens.
    private func listening(
        at address: String, silence: Int32
    ) throws -> (listener: PostgresListener, sessions: () throws -> [[PrimitiveValue]]) {
        let server = try TestServer.running()
        let name = "listening_\(UUID().uuidString.prefix(8))"
        let listener = PostgresListener(
            try PostgresAddress(address + "&application_name=\(name)"), patience: .seconds(60),
            answerTimeout: .seconds(5), silence: silence)
        try listener.listen()
        let other = try server.database()
        return (listener, { try other.rows("SELECT pid FROM pg_stat_activity WHERE application_name = \(name)") })
    }

    @Test("A connection that is silent is asked if it is still there, and replaced if it does not answer")
    func silence() async throws {
        let server = try TestServer.running()
        let proxy = try CuttingProxy(to: server.folder)
        defer { proxy.close() }
        let (listener, sessions) = try listening(at: server.address(folder: proxy.folder), silence: 20)
        defer { listener.stop() }
        let before = try sessions()
        #expect(before.count == 1)
        // A notification does not end it.
        try server.database().execute("SELECT pg_notify('feedback', 'films')")
        let roundTrips = proxy.roundTrips
        await eventually("it is asked again and again") { proxy.roundTrips >= roundTrips + 5 }
        #expect(try sessions() == before)
        proxy.freeze(true)
        await eventually("another one is opened") { proxy.held == 1 }
        proxy.freeze(false)
        try await eventually("it is there") {
            let now = try sessions()
            return now.count == 1 && now != before
        }
    }

    @Test("When it is stopped, its connection ends, however long it is silent")
    func stopped() async throws {
        // Nobody else sends a notification there.
        let (listener, sessions) = try listening(at: TestServer.running().addressOfOwnDatabase(), silence: .max)
        #expect(try sessions().count == 1)
        listener.stop()
        try await eventually("it has ended") { try sessions().isEmpty }
    }

    @Test("A query waits for the listener's connection if that is lost; once it is back, all queries ask again")
    func back() async throws {
        let server = try TestServer.running()
        let proxy = try CuttingProxy(to: server.folder)
        defer { proxy.close() }
        // Nobody else sends a notification there.
        let address = try server.addressOfOwnDatabase()
        let name = "losing_\(UUID().uuidString.prefix(8))"
        var configuration = PostgresDatabase.Configuration()
        configuration.patience = .seconds(60)
        let films = try await PostgresStore(
            Film.schema,
            in: PostgresDatabase(
                address.replacing("host=\(server.folder)", with: "host=\(proxy.folder)") + "&application_name=\(name)",
                configuration: configuration))
        let others = try await PostgresStore(Film.schema, in: PostgresDatabase(address))
        let (answers, observation) = films.all().observe().map { $0.map(\.id) }.collecting()
        defer { observation.dispose() }
        await eventually("the first answer is there") { answers.all == [[]] }
        // From now on, no connection can be opened.
        let connections: [PostgresConnection] = [
            try await films.database.pool.take(), try await films.database.pool.take(),
        ]
        for connection in connections { films.database.pool.giveBack(connection) }
        proxy.hold(true)
        let ended = try others.database.rows(
            """
            SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
            WHERE application_name = \(name) AND query LIKE 'LISTEN%'
            """)
        #expect(ended == [[.bool(true)]])
        await eventually("the listener connects again") { proxy.held == 1 }
        // Of this it is not notified.
        try await others.insert(.fixture(id: 1))
        let (later, laterObservation) = films.filter(where: \.id > 0).observe().map { $0.map(\.id) }.collecting()
        defer { laterObservation.dispose() }
        for _ in 0..<200 { #expect(try await films.object(withId: 1) != nil) }
        #expect(later.all == [])
        proxy.hold(false)
        await eventually("both queries have asked") { answers.all == [[], [1]] && later.all == [[1]] }
    }

    @Test(
        "Without notifications, an observer that is added after a write has the answer of now, also of a table that a trigger has changed"
    )
    func addedAfterWrite() async throws {
        var configuration = PostgresDatabase.Configuration()
        configuration.notifiesObservers = false
        // Nobody else sends a notification there.
        let database = try await PostgresDatabase(
            TestServer.running().addressOfOwnDatabase(), configuration: configuration)
        let films = try await PostgresStore(Film.schema, in: database)
        let notes = try await PostgresStore(Note.schema, in: database)
        try database.execute(
            "CREATE FUNCTION clearing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM films; RETURN NULL; END'"
        )
        try database.execute(
            "CREATE TRIGGER clearing AFTER INSERT ON notes FOR EACH ROW EXECUTE FUNCTION clearing()")
        try await films.insert(.fixture(id: 1))
        let (first, observation) = films.all().observe().map { $0.map(\.id) }.collecting()
        defer { observation.dispose() }
        await eventually("the first answer is there") { first.all == [[1]] }
        try await notes.insert(Note(id: "a", text: ""))
        let (second, otherObservation) = films.all().observe().map { $0.map(\.id) }.collecting()
        defer { otherObservation.dispose() }
        await eventually("the other one has an answer") { !second.all.isEmpty }
        #expect(second.all.first == [])
    }

    @Test("A query that loses its connections when it is asked again is asked once more in a moment")
    func askedOnceMore() async throws {
        let address = try TestServer.running().addressOfOwnDatabase()
        let films = try await PostgresStore(Film.schema, in: PostgresDatabase(address))
        try await films.insert(.fixture(id: 1))
        let (answers, observation) = films.all().observe().map { $0.map(\.id) }.collecting()
        defer { observation.dispose() }
        await eventually("the first answer is there") { answers.all == [[1]] }
        let other = try PostgresConnection(PostgresAddress(address), patience: .seconds(60))
        for statement in [
            "CREATE TABLE endings (n int)", "INSERT INTO endings VALUES (1)", "CREATE SEQUENCE asked",
            """
            CREATE FUNCTION ending() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
                IF EXISTS (SELECT FROM endings) THEN
                    PERFORM nextval('asked'), pg_terminate_backend(pg_backend_pid()), pg_sleep(60);
                END IF;
                RETURN true;
            END $$
            """,
            "ALTER TABLE films RENAME TO stored", "CREATE VIEW films AS SELECT * FROM stored WHERE ending()",
            "UPDATE stored SET id = 2", "NOTIFY feedback, 'films'",
        ] { try other.execute(statement) }
        // The first time, there are at most four attempts.
        try await eventually("it is asked again") { try other.runOnce("SELECT last_value FROM asked").integer > 4 }
        try other.execute("DELETE FROM endings")
        await eventually("the answer is there") { answers.all == [[1], [2]] }
    }
}
