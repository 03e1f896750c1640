import FeedbackTesting
import Foundation
import Persistence
import Postgres
import Synchronization
import Testing

@Suite("A connection that is lost while a transaction is committed")
struct PostgresCommitTests {
    private let server: TestServer
    private let proxy: CuttingProxy
    /// The address without the proxy.
    private let address: String
    private let films: PostgresStore<Film>

    init() throws {
        server = try TestServer.running()
        proxy = try CuttingProxy(to: server.folder)
        address = try server.address()
        var configuration = PostgresDatabase.Configuration()
        // The lost connection must leave its place to the one on which the server is asked.
        configuration.maximumConnections = 1
        configuration.patience = .seconds(2)
        let way = address.replacing("host=\(server.folder)&", with: "host=\(proxy.folder)&")
        films = try PostgresStore(Film.schema, in: PostgresDatabase(way, configuration: configuration))
        try films.insert(.fixture(id: 0)).get()
    }

    /// Inserts a film in a transaction; returns how often its body ran.
    private func insert(_ id: Int) throws(StoreError) -> Int {
        let attempts = Atomic(0)
        try films.perform { films throws(StoreError) in
            attempts.add(1, ordering: .relaxed)
            try films.insert([.fixture(id: id)])
        }
        return attempts.load(ordering: .relaxed)
    }

    @Test("Lost before the server got the commit, the transaction is done again, once")
    func before() throws {
        defer { proxy.close() }
        proxy.cutNext(.before)
        #expect(try insert(1) == 2)
        #expect(try films.all().result().get().map(\.id) == [0, 1])
    }

    @Test("Lost after the server got the commit, the transaction is not done again")
    func after() throws {
        defer { proxy.close() }
        proxy.cutNext(.after)
        #expect(try insert(1) == 1)
        #expect(try films.all().result().get().map(\.id) == [0, 1])
        // The same for a write that is a transaction by itself.
        proxy.cutNext(.after)
        try films.insert(.fixture(id: 2)).get()
        #expect(try films.all().result().get().map(\.id) == [0, 1, 2])
    }

    @Test("Lost during the commit, a transaction that has written nothing is done again")
    func nothingWritten() throws {
        defer { proxy.close() }
        for cut in [CuttingProxy.Cut.before, .after] {
            proxy.cutNext(cut)
            #expect(try films.delete(ids: [99]).get() == 0)
            let attempts = Atomic(0)
            let found = try transaction(cut, attempts) { films throws(StoreError) in try films.object(withId: 0)?.id }
            #expect(found == 0)
            let changes = try transaction(cut, attempts) { films throws(StoreError) in
                try films.update(where: \.id == 99, set: [.value(\.year, 1)])
            }
            #expect(changes == 0)
            #expect(attempts.load(ordering: .relaxed) == 4)
        }
    }

    /// Runs a transaction whose commit is cut, and counts how often its body ran.
    private func transaction<Value: Sendable>(
        _ cut: CuttingProxy.Cut, _ attempts: borrowing Atomic<Int>,
        _ body: (PostgresTransaction<Film>) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        proxy.cutNext(cut)
        return try films.perform { films throws(StoreError) in
            attempts.add(1, ordering: .relaxed)
            return try body(films)
        }
    }

    @Test("If the server cannot be asked again, the write fails with an unknown outcome")
    func unknown() throws {
        proxy.cutNext(.forGood)
        let error = #expect(throws: StoreError.self) { try insert(1) }
        guard case .outcomeUnknown? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        proxy.close()
    }

    @Test("A lost commit is told to the observers of its own database and of others")
    func observers() async throws {
        let others = try await PostgresStore(Film.schema, in: PostgresDatabase(address))
        let (own, observation) = films.all().observe().map { $0.map(\.id) }.collecting()
        let (theirs, otherObservation) = others.all().observe().map { $0.map(\.id) }.collecting()
        await eventually("both have the first answer") { own.all == [[0]] && theirs.all == [[0]] }
        proxy.cutNext(.after)
        try await films.insert(.fixture(id: 1))
        await eventually("both see the write") { own.all == [[0], [0, 1]] && theirs.all == [[0], [0, 1]] }
        observation.dispose()
        otherObservation.dispose()
        proxy.close()
    }

    @Test("A commit of which its writer cannot learn is told to the observers of other databases")
    func observersOfUnknown() async throws {
        let others = try await PostgresStore(Film.schema, in: PostgresDatabase(address))
        let (answers, observation) = others.all().observe().map { $0.map(\.id) }.collecting()
        await eventually("the first answer is there") { answers.all == [[0]] }
        proxy.cutNext(.forGood)
        let error = #expect(throws: StoreError.self) { try insert(1) }
        guard case .outcomeUnknown? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        await eventually("the write is seen") { answers.all == [[0], [0, 1]] }
        observation.dispose()
        proxy.close()
    }
}

@Suite("A server that crashes while a transaction is committed")
struct PostgresCrashTests {
    private func films(
        on server: TestServer, by proxy: CuttingProxy? = nil, patience: Duration = .seconds(2)
    ) throws -> PostgresStore<Film> {
        var configuration = PostgresDatabase.Configuration()
        configuration.patience = patience
        return try PostgresStore(
            Film.schema, in: PostgresDatabase(server.address(folder: proxy?.folder), configuration: configuration))
    }

    @Test(
        "Gone before the commit, and not back in time, the transaction fails, and nothing of it is kept", .onOwnThread)
    func goneBefore() throws {
        _ = try TestServer.running()
        let server = try TestServer()
        let films = try films(on: server)
        try films.insert(.fixture(id: 0)).get()
        let error = #expect(throws: StoreError.self) {
            try films.perform { films throws(StoreError) in
                try films.insert([.fixture(id: 1)])
                do { try server.control("stop -m immediate") } catch { throw .rolledBack(reason: "\(error)") }
            }
        }
        guard case .unreachable? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        try server.control("start")
        #expect(try films.all().result().get().map(\.id) == [0])
        try films.insert(.fixture(id: 2)).get()
    }

    @Test("Back in time, the transaction is done again, and kept once", .onOwnThread)
    func backInTime() throws {
        _ = try TestServer.running()
        let server = try TestServer()
        let films = try films(on: server, patience: .seconds(60))
        let attempts = Atomic(0)
        try films.perform { films throws(StoreError) in
            try films.insert([.fixture(id: 1)])
            if attempts.add(1, ordering: .relaxed).newValue == 1 {
                do { try server.restart() } catch { throw .rolledBack(reason: "\(error)") }
            }
            try films.insert([.fixture(id: 2)])
        }
        #expect(attempts.load(ordering: .relaxed) == 2)
        #expect(try films.all().result().get().map(\.id) == [1, 2])
    }

    @Test("Gone between the commit and its answer, the outcome is unknown, and it is kept once", .onOwnThread)
    func goneAfter() throws {
        _ = try TestServer.running()
        let server = try TestServer()
        let proxy = try CuttingProxy(to: server.folder)
        defer { proxy.close() }
        let films = try films(on: server, by: proxy)
        try films.insert(.fixture(id: 0)).get()
        for id in 1...2 {
            proxy.cutNext(.after) { try? server.control("stop -m immediate") }
            let error = #expect(throws: StoreError.self) {
                if id == 1 {
                    try films.insert(.fixture(id: id)).get()
                } else {
                    try films.perform { films throws(StoreError) in try films.insert([.fixture(id: id)]) }
                }
            }
            guard case .outcomeUnknown? = error else {
                Issue.record("\(String(describing: error)) is another error")
                return
            }
            try server.control("start")
            #expect(try films.all().result().get().map(\.id) == Array(0...id))
        }
    }

    @Test("A server that restarts between the commit and its answer keeps the transaction once", .onOwnThread)
    func restartAfter() throws {
        _ = try TestServer.running()
        let server = try TestServer()
        let proxy = try CuttingProxy(to: server.folder)
        defer { proxy.close() }
        let films = try films(on: server, by: proxy, patience: .seconds(60))
        try films.insert(.fixture(id: 0)).get()
        proxy.cutNext(.after) { try? server.restart() }
        do {
            try films.insert(.fixture(id: 1)).get()
        } catch StoreError.outcomeUnknown {}
        #expect(try films.all().result().get().map(\.id) == [0, 1])
    }

    @Test("A transaction whose number the server has forgotten is done again", .onOwnThread)
    func forgottenNumber() throws {
        _ = try TestServer.running()
        let server = try TestServer()
        // Nothing of an open transaction is written to the disk before it is committed, and nothing else gets its number.
        try server.set("wal_writer_delay", to: "10s")
        try server.set("autovacuum", to: "off")
        let proxy = try CuttingProxy(to: server.folder)
        defer { proxy.close() }
        let films = try films(on: server, by: proxy, patience: .seconds(30))
        for id in 0...2 {
            if id > 0 { proxy.cutNext(.before) { try? server.restart() } }
            try films.insert(.fixture(id: id)).get()
        }
        #expect(try films.all().result().get().map(\.id) == [0, 1, 2])
    }

    @Test("A number that the server gives to another transaction is not taken for the one that was lost", .onOwnThread)
    func reusedNumber() throws {
        _ = try TestServer.running()
        let server = try TestServer()
        // Nothing of an open transaction is written to the disk before it is committed.
        try server.set("wal_writer_delay", to: "10s")
        let proxy = try CuttingProxy(to: server.folder)
        defer { proxy.close() }
        var configuration = PostgresDatabase.Configuration()
        configuration.patience = .seconds(60)
        let films = try PostgresStore(
            Film.schema, in: PostgresDatabase(server.address(folder: proxy.folder), configuration: configuration))
        let others = try PostgresStore(
            Film.schema, in: PostgresDatabase(server.address(), configuration: configuration))
        try films.insert(.fixture(id: 0)).get()

        for id in 1...3 {
            proxy.cutNext(.before) {
                try? server.restart()
                for other in 0..<10 { _ = others.insert(.fixture(id: 10 * id + other)).first() }
            }
            do {
                try films.insert(.fixture(id: id)).get()
                #expect(try films.find(id) != nil)
            } catch StoreError.outcomeUnknown {
                continue
            }
        }
    }
}
