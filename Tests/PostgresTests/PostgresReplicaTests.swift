import Foundation
import Persistence
import Postgres
import Testing

@Suite("Replicas of a PostgreSQL server")
struct PostgresReplicaTests {
    @Test("A replica answers queries and refuses writes as a store that can only be read, or cannot be reached for now")
    func readOnly() throws {
        _ = try TestServer.running()
        let server = try TestServer()
        let address = try server.address()
        try PostgresStore(Film.schema, in: PostgresDatabase(address)).insert(.fixture(id: 1)).get()
        // A server with this file waits for the changes of another one.
        try Data().write(to: URL(fileURLWithPath: "\(server.folder)/data/standby.signal"))
        try server.control("restart -m fast")
        let films = try PostgresStore(Film.schema, in: PostgresDatabase(address))
        #expect(try films.all().result().get() == [.fixture(id: 1)])
        #expect(try films.database.rows("SELECT count(*) FROM films") == [[.integer(1)]])
        let writes: [() throws -> Void] = [
            { try films.insert(.fixture(id: 2)).get() },
            { try films.database.execute("DELETE FROM films") },
            { try films.perform { films throws(StoreError) in _ = try films.delete(ids: [1]) } },
            { try films.perform { films throws(StoreError) in _ = try films.delete(where: \.year == 1) } },
        ]
        for write in writes {
            let error = #expect(throws: StoreError.self) { try write() }
            guard case .readOnly? = error else {
                Issue.record("\(String(describing: error)) is another error")
                continue
            }
        }
        // Without this setting it accepts no connection until it is no longer a replica.
        try server.set("hot_standby", to: "off")
        try server.control("restart -m fast")
        var configuration = PostgresDatabase.Configuration()
        configuration.patience = .milliseconds(300)
        let start = ContinuousClock.now
        let error = #expect(throws: StoreError.self) { try PostgresDatabase(address, configuration: configuration) }
        guard case .unreachable? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(start.duration(to: .now) >= configuration.patience)
    }
}
