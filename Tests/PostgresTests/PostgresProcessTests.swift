import ChildProcesses
import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Postgres
import Testing

@Suite("Several processes on one PostgreSQL database")
struct PostgresProcessTests {
    private struct Order: Identifiable, Sendable {
        var id: String
        var count: Int

        static let schema = Schema<Order>("orders", Order.init, Column("id", \.id), Column("count", \.count))
    }

    private static let end = 40

    @Test(
        "Killed at random and with the server restarted, they lose nothing that was kept, and do nothing twice",
        .onOwnThread)
    func killed() throws {
        _ = try TestServer.running()
        let server = try TestServer()
        let address = try server.address()
        var configuration = PostgresDatabase.Configuration()
        configuration.patience = .seconds(60)
        let orders = try PostgresStore(Order.schema, in: PostgresDatabase(address, configuration: configuration))
        let totals = Emissions<Int>()
        let observation = orders.filter(where: \.id == "total").observe().startWithResult { result in
            switch result {
            case .success(let orders): totals.append(orders.first?.count ?? 0)
            case .failure(let error): Issue.record("\(error)")
            }
        }

        onThreadsBlocking(4) { number in
            var random = SeededNumbers(seed: UInt64(number))
            var next = 0
            while next < Self.end {
                // The last process is not killed: it ends by itself.
                let kill = next + Int.random(in: 3...12, using: &random)
                next = live(address, "writer-\(number)", from: next, killedAt: kill)
                if number == 0, next > Self.end / 2, next < Self.end { try? server.restart() }
            }
        }

        let all = try orders.all().result().get()
        let kept = Set(all.map(\.id))
        for number in 0..<4 {
            for order in 0..<Self.end { #expect(kept.contains("writer-\(number)-\(order)")) }
        }
        #expect(all.count == 4 * Self.end + 2)
        #expect(all.first { $0.id == "total" }?.count == 4 * Self.end)
        #expect(all.first { $0.id == "last" }?.count == 4 * Self.end)
        let limit = ContinuousClock.now + .seconds(60)
        while totals.all.last != 4 * Self.end, ContinuousClock.now < limit { Thread.sleep(forTimeInterval: 0.01) }
        #expect(totals.all.last == 4 * Self.end)
        #expect(totals.all == totals.all.sorted())
        observation.dispose()
    }

    @Test(
        "Ten processes that start together bring a database to the newest version once", .onOwnThread,
        arguments: [true, false])
    func migrating(_ isOld: Bool) throws {
        _ = try TestServer.running()
        let server = try TestServer()
        let address = try server.address()
        let database = try PostgresDatabase(address)
        if isOld { try PostgresStore(Order.schema, in: database).insert(Order(id: "old", count: 1)).get() }
        var processes: [ChildProcess] = []
        // All of them wait for the lock before one of them begins.
        try PostgresStore(Order.schema, in: PostgresDatabase(server.address())).perform { orders throws(StoreError) in
            try orders.execute("SELECT pg_advisory_xact_lock(\(Self.lock))")
            do {
                for number in 0..<10 {
                    processes.append(try ChildProcess(Self.writer, [address, "writer-\(number)"]))
                }
            } catch {
                throw .refused(reason: "\(error)")
            }
            let limit = ContinuousClock.now + .seconds(60)
            while try database.rows("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
                != [[.integer(10)]], ContinuousClock.now < limit
            {
                Thread.sleep(forTimeInterval: 0.01)
            }
            #expect(ContinuousClock.now < limit)
        }
        for process in processes {
            #expect(String(decoding: process.output.rest(), as: UTF8.self) == "done\n")
            #expect(process.wait() == .exit(0))
        }
        let orders = try PostgresStore(Order.schema, in: database)
        #expect(try orders.all().count().get() == (isOld ? 11 : 10))
        // Each run of the migration would add 100.
        #expect(try orders.all().sum(\.count).get() == (isOld ? 111 : 10))
        #expect(try database.rows("SELECT version FROM feedback_version") == [[.integer(2)]])
    }

    /// The number of the lock that migrations take.
    private static let lock = 0x6665_6564_6261_636B

    private static let writer = builtProgram("PostgresWriter")

    /// Runs a process that adds orders until it is killed; returns the number of the first order that it did not say was kept.
    private func live(_ address: String, _ name: String, from first: Int, killedAt kill: Int) -> Int {
        var next = first
        do {
            let process = try ChildProcess(Self.writer, [address, name, "\(first)", "\(Self.end)"])
            while let line = process.output.line() {
                if let last = Int(line) { next = last + 1 }
                if next > kill { process.kill(SIGKILL) }
            }
            process.wait()
        } catch {
            Issue.record("\(error)")
            return Self.end
        }
        return next
    }
}
