import Animals
import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Movies
import Networking
import Persistence
import Postgres
import TableBackend
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Several servers of a feature behind one address, on one PostgreSQL database")
struct PostgresServingTests {
    private static let clients = 8
    private static let steps = ProcessInfo.processInfo.environment["POSTGRES_SERVING_STEPS"].flatMap(Int.init) ?? 16

    @Test(
        "Servers of animals are killed at random, and PostgreSQL restarts: what was acknowledged is kept, once, and watched",
        .onOwnThread)
    func animals() async throws {
        _ = try TestServer.running()
        let server = try TestServer()
        let address = try server.address()
        let database = try patientDatabase(address)
        let animals = try await PostgresStore(Animal.schema, in: database)
        let additions = try await PostgresStore(Addition.schema, in: database)
        let all = try await use("animals", on: server, address) { url in
            AnimalsClient(store: RemoteStore(accessible: session(at: url)))
        } watching: { database in
            try PostgresStore(Animal.schema, in: database).all().observe().map { animals in
                Dictionary(animals.map { ($0.animalId, $0.name) }, uniquingKeysWith: { $0 + $1 })
            }
        }
        let stored = try await animals.all().result()
        let sample = AnimalsData.sample.animals
        #expect(Set(sample.map(\.animalId)).isSubset(of: stored.map(\.animalId)))
        #expect(stored.filter { !sample.contains($0) }.count == all.kept.count)
        #expect(try await additions.all().count() == all.additions)
    }

    @Test(
        "Servers of movies are killed at random, and PostgreSQL restarts: what was acknowledged is kept, once, and watched",
        .onOwnThread)
    func movies() async throws {
        _ = try TestServer.running()
        let server = try TestServer()
        let address = try server.address()
        let database = try patientDatabase(address)
        let movies = try await PostgresStore(Movie.schema, in: database)
        let answers = try await PostgresStore(KeptAnswer.schema, in: database)
        let all = try await use("movies", on: server, address) { url in
            MoviesClient(url: url)
        } watching: { database in
            try PostgresStore(Movie.schema, in: database).all().observe().map { movies in
                Dictionary(movies.map { ($0.id.uuidString, $0.title) }, uniquingKeysWith: { $0 + $1 })
            }
        }
        #expect(try await movies.filter(where: .startsWith(\.title, "client")).count() == all.kept.count)
        #expect(try await answers.all().count() == all.writes)
    }

    @Test("An insertion that is sent again while the first one is under way, to another server, gets the same answer")
    func repeatedMeanwhile() async throws {
        let server = try TestServer.running()
        let address = try server.address()
        let backend = LocalBackend()
        for path in ["/a", "/b"] {
            let database = try patientDatabase(address)
            let labels = try await PostgresStore(Label.schema, in: database)
            let answers = try await PostgresStore(KeptAnswer.schema, in: database)
            backend.serve(Table(labels, Label.schema, keepingAnswersIn: answers), at: path)
        }
        let database = try patientDatabase(address)
        // So each insertion takes a while, and the other one waits for its end.
        try database.execute(
            "CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.2); RETURN NULL; END'"
        )
        try database.execute("CREATE TRIGGER pause AFTER INSERT ON labels FOR EACH ROW EXECUTE FUNCTION pause()")
        let url = try await backend.start()
        for number in 1...3 {
            async let first = insert(number, key: "key \(number)", at: url.appendingPathComponent("a"))
            async let second = insert(number, key: "key \(number)", at: url.appendingPathComponent("b"))
            let statuses = try await [first, second]
            #expect(statuses == [201, 201])
            #expect(try await insert(number, key: "another", at: url.appendingPathComponent("b")) == 409)
        }
        #expect(try await PostgresStore(Label.schema, in: database).all().count() == 3)
        await backend.stop(within: .zero)
    }

    /// Inserts a label, and returns the status of the answer.
    private func insert(_ number: Int, key: String, at url: URL) async throws -> Int? {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = Data(#"{"id":\#(number),"text":"new"}"#.utf8)
        request.setValue(key, forHTTPHeaderField: "Idempotency-Key")
        return (try await URLSession.shared.data(for: request).1 as? HTTPURLResponse)?.statusCode
    }

    // MARK: - Use

    /// The answers that clients received.
    private struct AcknowledgedWrites: Sendable {
        /// The names of the objects that are to be there, by id.
        var kept: [String: String] = [:]
        var additions = 0
        var writes = 0
    }

    /// Lets clients add, change and delete through four servers, and compares what there is in the end with what they were told.
    private func use(
        _ feature: String, on server: TestServer, _ address: String,
        _ makeClient: @escaping @Sendable (URL) -> some ServedClient,
        watching watch: (PostgresDatabase) throws -> SignalProducer<[String: String], StoreError>
    ) async throws -> AcknowledgedWrites {
        let servers = try ServerProcesses(of: feature, database: address)
        servers.start(4, killingEach: 3, seed: 19)
        defer { servers.stop() }
        // An observation does not keep its database.
        let watching = try (0..<2).map { _ in try patientDatabase(address) }
        defer { withExtendedLifetime(watching) {} }
        let watched = try watching.map { try watch($0).collecting() }
        defer { for (_, observation) in watched { observation.dispose() } }

        let all = try await withThrowingTaskGroup(of: AcknowledgedWrites.self) { group in
            for number in 0..<Self.clients {
                group.addTask {
                    var told = AcknowledgedWrites()
                    var random = SeededNumbers(seed: UInt64(1_900 + number))
                    let client = makeClient(servers.url)
                    for step in 0..<Self.steps {
                        try await act("client \(number), step \(step)", client, &told, using: &random)
                        if number == 0, step == Self.steps / 2 { try await restart(server) }
                    }
                    return told
                }
            }
            return try await group.reduce(into: AcknowledgedWrites()) { all, told in
                all.kept.merge(told.kept, uniquingKeysWith: { $1 })
                all.additions += told.additions
                all.writes += told.writes
            }
        }
        await eventually("processes were killed and started again") { servers.kills > 0 && servers.starts > 4 }
        for (names, _) in watched {
            await eventually("a watcher in another process has seen the end") {
                let names = names.all.last?.filter { $0.value.hasPrefix("client") }
                return names == all.kept
            }
        }
        return all
    }

    /// Adds an object, or changes or deletes one, and notes that only when it was acknowledged.
    private func act(
        _ name: String, _ client: some ServedClient, _ told: inout AcknowledgedWrites, using random: inout SeededNumbers
    ) async throws {
        let own = told.kept.keys.sorted()
        let key = UUID()
        guard let id = own.randomElement(using: &random), Int.random(in: 0..<10, using: &random) >= 5 else {
            let id = try await client.acknowledged { _ in try await client.add(name, key: key) }
            told.kept[id] = name
            told.additions += 1
            told.writes += 1
            return
        }
        let isDeleted = Bool.random(using: &random)
        try await client.acknowledged { isRepeated in
            if isDeleted {
                try await client.delete(id, key: key, isRepeated: isRepeated)
            } else {
                try await client.change(id, to: name, key: key)
            }
        }
        told.kept[id] = isDeleted ? nil : name
        told.writes += 1
    }

    private func restart(_ server: TestServer) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread { continuation.resume(with: Result { try server.restart() }) }
        }
    }

    private func patientDatabase(_ address: String) throws -> PostgresDatabase {
        var configuration = PostgresDatabase.Configuration()
        configuration.patience = .seconds(60)
        return try PostgresDatabase(address, configuration: configuration)
    }
}

private struct Label: Identifiable, Sendable {
    let id: Int
    let text: String

    static let schema = Schema<Label>(
        "labels", { Label(id: $0, text: $1) }, Column("id", \.id), Column("text", \.text))
}

// MARK: - Clients

/// A client of a feature's server. Each function fails if it was not told that the write is kept.
private protocol ServedClient: Sendable {
    func add(_ name: String, key: UUID) async throws -> String
    func change(_ id: String, to name: String, key: UUID) async throws
    func delete(_ id: String, key: UUID, isRepeated: Bool) async throws
}

/// The server has not said whether the write is kept.
private struct NotAcknowledged: Error {
    let reason: String
}

extension ServedClient {
    /// Sends a request again until it is answered.
    func acknowledged<Value>(_ send: (_ isRepeated: Bool) async throws -> Value) async throws -> Value {
        let limit = ContinuousClock.now + .seconds(90)
        var isRepeated = false
        while true {
            do {
                return try await send(isRepeated)
            } catch is NotAcknowledged where ContinuousClock.now < limit {
                isRepeated = true
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }
}

private func session(at url: URL) -> BackendSession {
    BackendSession(environment: BackendEnvironment(name: "test", services: [.core: url])) { $0.timeout = .seconds(20) }
}

private struct AnimalsClient: ServedClient {
    let store: RemoteStore

    func add(_ name: String, key: UUID) async throws -> String {
        try await answered { () async throws(AnimalsError) in
            try await store.addAnimal(AnimalDraft(name: name, diet: .omnivorous, categoryId: "Bird"), key: key).animalId
        }
    }

    func change(_ id: String, to name: String, key: UUID) async throws {
        _ = try await answered { () async throws(AnimalsError) in
            try await store.updateAnimal(Animal(animalId: id, name: name, diet: .carnivorous, categoryId: "Fish"))
        }
    }

    func delete(_ id: String, key: UUID, isRepeated: Bool) async throws {
        do {
            _ = try await answered { () async throws(AnimalsError) in try await store.deleteAnimal(id) }
        } catch AnimalsError.unknownAnimal(id) where isRepeated {
            // The first request has deleted it, and its answer was lost.
        }
    }

    private func answered<Value>(_ ask: () async throws(AnimalsError) -> Value) async throws -> Value {
        do throws(AnimalsError) {
            return try await ask()
        } catch {
            if case .remote = error { throw NotAcknowledged(reason: "\(error)") }
            throw error
        }
    }
}

private struct MoviesClient: ServedClient {
    struct Refused: Error {
        let status: Int
        let body: String
    }

    let url: URL
    private let transport = DefaultTransport()

    init(url: URL) { self.url = url }

    func add(_ name: String, key: UUID) async throws -> String {
        let row = #"{"id":"\#(key.uuidString)","title":"\#(name)","rating":"G","budget":1}"#
        try await send(.POST, nil, row, key)
        return key.uuidString
    }

    func change(_ id: String, to name: String, key: UUID) async throws {
        try await send(.PATCH, id, #"{"title":"\#(name)"}"#, key)
    }

    func delete(_ id: String, key: UUID, isRepeated: Bool) async throws { try await send(.DELETE, id, nil, key) }

    /// Any answer but 2xx to a repeated request would be a write that was done twice.
    private func send(_ method: HTTPMethod, _ id: String?, _ body: String?, _ key: UUID) async throws {
        let query = id.map { [URLQueryItem(name: "id", value: "eq.\($0)")] } ?? []
        let request = TransportRequest(
            method: method, url: url.appending(path: "movies").appending(queryItems: query),
            headers: ["Content-Type": "application/json", "Idempotency-Key": key.uuidString],
            body: body.map { RequestBody.data(Data($0.utf8)) }, timeout: .seconds(20))
        let response: TransportResponse
        do throws(CoreError) {
            response = try await transport.send(request)
        } catch {
            throw NotAcknowledged(reason: "\(error)")
        }
        let text = String(decoding: response.body, as: UTF8.self)
        if response.status >= 500 { throw NotAcknowledged(reason: text) }
        if !response.isSuccess { throw Refused(status: response.status, body: text) }
    }
}
