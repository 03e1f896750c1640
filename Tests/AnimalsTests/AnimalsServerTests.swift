import AnimalsBackend
import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import LocalBackend
import Networking
import Persistence
import Testing

@testable import Animals

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The server of the animals, over real HTTP.
struct AnimalsServerTests {
    // MARK: - Wire

    @Test("Requests of other clients are answered byte for byte")
    func bytes() async throws {
        try await withServer { (backend, _) async throws in
            let (status, body) = try await post(
                #"{ "mutation": [ {"deleteAnimal": {"animalId": "Cat"}} ] }"#, to: backend)
            #expect(status == 200)
            let expected = try text("delete-response")
            #expect(body == expected)
        }
    }

    @Test(
        "A request that cannot be read, or names something unknown, is refused with a reason, and changes nothing",
        arguments: [
            (#"{"mutation":[{"addAnimal":{"name":"A","diet":"Fruit","categoryId":"Bird"}}]}"#, 400),
            (#"{"mutation":[{"addAnimal":{"name":"A","categoryId":"Bird"}}]}"#, 400),
            (#"{"mutation":[{"explode":{}}]}"#, 400), (#"{"query":{}}"#, 400), ("nonsense", 400), ("", 400),
            (#"{"query":[\#(Array(repeating: #"{"animals":{}}"#, count: 101).joined(separator: ","))]}"#, 400),
            (
                #"{"mutation":[\#(Array(repeating: #"{"deleteAnimal":{"animalId":"Cat"}}"#, count: 101).joined(separator: ","))]}"#,
                400
            ),
            (#"{"mutation":[{"addAnimal":{"name":" \n","diet":"Omnivore","categoryId":"Bird"}}]}"#, 422),
            (
                #"{"mutation":[{"addAnimal":{"name":"\#(String(repeating: "ä", count: 101))","diet":"Omnivore","categoryId":"Bird"}}]}"#,
                422
            ),
            (
                #"{"mutation":[{"updateAnimal":{"animalId":"Cat","name":"","diet":"Omnivore","categoryId":"Bird"}}]}"#,
                422
            ),
            (#"{"mutation":[{"deleteAnimal":{"animalId":"Yeti"}}]}"#, 404),
            (#"{"mutation":[{"deleteAnimal":{"animalId":"Cat"}},{"deleteAnimal":{"animalId":"Yeti"}}]}"#, 404),
            (#"{"mutation":[{"addAnimal":{"name":"A","diet":"Omnivore","categoryId":"Myth"}}]}"#, 422),
        ])
    func refusals(body: String, expected: Int) async throws {
        try await withServer { (backend, store) async throws in
            let (status, answer) = try await post(body, to: backend)
            #expect(status == expected)
            let failure: RemoteFailure = try Parser.parse(Data(answer.utf8)).get()
            #expect(!failure.reason.isEmpty)
            let data = try await store().fetchData()
            #expect(data == .sample)
        }
    }

    @Test("Several queries and mutations are answered in order, the queries with what there is before")
    func order() async throws {
        try await withServer { (backend, store) async throws in
            let request = RemoteRequest(
                query: [.animals, .categories, .animals],
                mutation: [
                    .updateAnimal(animalId: "Cat", name: "A", diet: .omnivorous, categoryId: "Mammal"),
                    .updateAnimal(animalId: "Cat", name: "B", diet: .omnivorous, categoryId: "Mammal"),
                    .deleteAnimal(animalId: "Cat"),
                ])
            let sample = AnimalsData.sample
            let (status, body) = try await post(request, to: backend)
            #expect(status == 200)
            let response: RemoteResponse = try Parser.parse(Data(body.utf8)).get()
            #expect(
                response
                    == RemoteResponse(
                        query: [
                            .animals(animals: sample.animals), .categories(categories: sample.categories),
                            .animals(animals: sample.animals),
                        ],
                        mutation: [
                            .updateAnimal(animal: .fixture(name: "A", diet: .omnivorous)),
                            .updateAnimal(animal: .fixture(name: "B", diet: .omnivorous)),
                            .deleteAnimal(animal: .fixture(name: "B", diet: .omnivorous)),
                        ]))
        }
    }

    @Test("If one of several mutations fails, none is kept")
    func allOrNothing() async throws {
        try await withServer { (backend, store) async throws in
            let request = RemoteRequest(mutation: [
                .deleteAnimal(animalId: "Dog"), .addAnimal(name: "Fox", diet: .omnivorous, categoryId: "Mammal"),
                .reloadSampleData, .deleteAnimal(animalId: "Dog"), .deleteAnimal(animalId: "Dog"),
            ])
            #expect(try await post(request, to: backend).0 == 404)
            #expect(try await store().fetchData() == .sample)
        }
    }

    @Test("An empty request is answered by an empty answer")
    func empty() async throws {
        try await withServer { (backend, _) async throws in
            #expect(try await post(RemoteRequest(), to: backend).1 == "{}")
            #expect(try await post(#"{"query":[],"mutation":[]}"#, to: backend).1 == #"{"mutation":[],"query":[]}"#)
        }
    }

    @Test("A request that is repeated with its key adds each of its animals once")
    func repeatedRequest() async throws {
        try await withServer { (backend, store) async throws in
            let add = RemoteRequest.Mutation.addAnimal(name: "Fox", diet: .omnivorous, categoryId: "Mammal")
            let first = try await post(RemoteRequest(mutation: [add, add]), key: "a", to: backend)
            let second = try await post(RemoteRequest(mutation: [add, add]), key: "a", to: backend)
            #expect(first == second)
            #expect(try await store().fetchAnimals().count == 8)
            _ = try await post(RemoteRequest(mutation: add), key: "b", to: backend)
            _ = try await post(RemoteRequest(mutation: add), to: backend)
            #expect(try await store().fetchAnimals().count == 10)
        }
    }

    // MARK: - Several clients

    @Test("Each client sees the other's changes after a reload")
    func twoClients() async throws {
        try await withServer { (_, store) async throws in
            let (one, other) = (store(), store())
            let fox = try await one.addAnimal(.fixture())
            let seen = try await other.fetchAnimals()
            #expect(seen.contains(fox))
            _ = try await other.deleteAnimal(fox.id)
            let data = try await one.fetchData()
            #expect(data == .sample)
        }
    }

    @Test("Simultaneous updates of one animal end in one of the two, never in a mix")
    func simultaneousUpdates() async throws {
        try await withServer { (_, store) async throws in
            let versions = [
                Animal.fixture(name: "One", diet: .herbivorous, categoryId: "Bird"),
                Animal.fixture(name: "Other", diet: .omnivorous, categoryId: "Fish"),
            ]
            for _ in 0..<20 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for version in versions { group.addTask { _ = try await store().updateAnimal(version) } }
                    try await group.waitForAll()
                }
                let cat = try await store().fetchAnimals().first { $0.id == "Cat" }
                #expect(cat.map(versions.contains) == true)
            }
        }
    }

    @Test("An update of an animal that another client has deleted fails")
    func gone() async throws {
        try await withServer { (_, store) async throws in
            let (one, other) = (store(), store())
            _ = try await one.deleteAnimal("Cat")
            await #expect(throws: AnimalsError.unknownAnimal("Cat")) {
                try await other.updateAnimal(.fixture(name: "Wild cat"))
            }
            await #expect(throws: AnimalsError.unknownAnimal("Cat")) { try await other.deleteAnimal("Cat") }
        }
    }

    @Test("No change of many simultaneous clients is lost")
    func manyClients() async throws {
        try await withServer { (_, store) async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for client in 0..<8 {
                    group.addTask {
                        let store = store()
                        for number in 0..<5 {
                            _ = try await store.addAnimal(.fixture(name: "\(client)-\(number)"))
                        }
                    }
                }
                try await group.waitForAll()
            }
            let names = Set(try await store().fetchAnimals().map(\.name))
            // Those of the sample, and five of each client.
            #expect(names.count == 46)
        }
    }

    // MARK: - Keeping

    @Test("A database keeps its animals when it is opened again, and is not seeded twice")
    func reopening() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sqlite")
        defer {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: file.path(percentEncoded: false) + suffix)
            }
        }
        let location = SQLiteDatabase.Location.file(file.path(percentEncoded: false))
        for animal in AnimalsData.sample.animals { _ = try await LocalStore(location).deleteAnimal(animal.id) }
        #expect(try await LocalStore(location).fetchAnimals() == [])
        #expect(try await LocalStore(location).fetchCategories() == AnimalsData.sample.categories)
    }

    @Test("A file that cannot be opened is an error")
    func unusable() {
        #expect(throws: StoreError.self) { try LocalStore(.file("/there/is/no/such/folder/animals.sqlite")) }
    }

    // MARK: - Machinery

    private func post(
        _ request: RemoteRequest, key: String? = nil, to backend: LocalBackend
    ) async throws -> (Int, String) {
        let body = try AnimalsService.jsonEncoder.encode(request)
        return try await post(String(decoding: body, as: UTF8.self), key: key, to: backend)
    }

    private func post(_ body: String, key: String? = nil, to backend: LocalBackend) async throws -> (Int, String) {
        let url = try #require(backend.address).appending(path: "animals/api")
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = Data(body.utf8)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue(key, forHTTPHeaderField: "Idempotency-Key")
        let (data, response) = try await URLSession.shared.data(for: request)
        return (try #require(response as? HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))
    }

    private func text(_ name: String) throws -> String {
        String(decoding: try AnimalsExpectations.wire(name), as: UTF8.self)
    }
}
