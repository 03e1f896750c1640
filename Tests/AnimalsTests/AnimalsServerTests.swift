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
        try await withServer { backend, _ in
            let (status, body) = try await post(
                #"{ "mutation": [ {"deleteAnimal": {"animalId": "Cat"}} ] }"#, to: backend)
            #expect(status == 200)
            let expected = try text("delete-response")
            #expect(body == expected)
        }
    }

    @Test(
        "What cannot be read, or names what is unknown, is refused with a reason, and changes nothing",
        arguments: [
            (#"{"mutation":[{"addAnimal":{"name":"A","diet":"Fruit","categoryId":"Bird"}}]}"#, 400),
            (#"{"mutation":[{"addAnimal":{"name":"A","categoryId":"Bird"}}]}"#, 400),
            (#"{"mutation":[{"explode":{}}]}"#, 400), (#"{"query":{}}"#, 400), ("nonsense", 400), ("", 400),
            (#"{"mutation":[{"deleteAnimal":{"animalId":"Yeti"}}]}"#, 404),
            (#"{"mutation":[{"deleteAnimal":{"animalId":"Cat"}},{"deleteAnimal":{"animalId":"Yeti"}}]}"#, 404),
            (#"{"mutation":[{"addAnimal":{"name":"A","diet":"Omnivore","categoryId":"Myth"}}]}"#, 422),
        ])
    func refusals(body: String, expected: Int) async throws {
        try await withServer { backend, store in
            let (status, answer) = try await post(body, to: backend)
            #expect(status == expected)
            let failure: RemoteFailure = try Parser.parse(Data(answer.utf8)).get()
            #expect(!failure.reason.isEmpty)
            let data = try await store().fetchData().first()
            #expect(data == .sample)
        }
    }

    // MARK: - Several clients

    @Test("Each client sees the other's changes after a reload")
    func twoClients() async throws {
        try await withServer { _, store in
            let (one, other) = (store(), store())
            let fox = try #require(try await one.addAnimal(.fixture()).first())
            let seen = try await other.fetchAnimals().first()
            #expect(seen?.contains(fox) == true)
            _ = try await other.deleteAnimal(fox.id).first()
            let data = try await one.fetchData().first()
            #expect(data == .sample)
        }
    }

    @Test("Simultaneous updates of one animal end in one of the two, never in a mix")
    func simultaneousUpdates() async throws {
        try await withServer { _, store in
            let versions = [
                Animal.fixture(name: "One", diet: .herbivorous, categoryId: "Bird"),
                Animal.fixture(name: "Other", diet: .omnivorous, categoryId: "Fish"),
            ]
            for _ in 0..<20 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for version in versions { group.addTask { _ = try await store().updateAnimal(version).first() } }
                    try await group.waitForAll()
                }
                let cat = try await store().fetchAnimals().first()?.first { $0.id == "Cat" }
                #expect(cat.map(versions.contains) == true)
            }
        }
    }

    @Test("An animal deleted by one client is reported as gone to the other's update")
    func gone() async throws {
        try await withServer { _, store in
            let (one, other) = (store(), store())
            _ = try await one.deleteAnimal("Cat").first()
            await #expect(throws: AnimalsError.unknownAnimal("Cat")) {
                try await other.updateAnimal(.fixture(name: "Wild cat")).first()
            }
            await #expect(throws: AnimalsError.unknownAnimal("Cat")) { try await other.deleteAnimal("Cat").first() }
        }
    }

    @Test("Of many clients at once none loses a change")
    func manyClients() async throws {
        try await withServer { _, store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for client in 0..<8 {
                    group.addTask {
                        let store = store()
                        for number in 0..<5 {
                            _ = try await store.addAnimal(.fixture(name: "\(client)-\(number)")).first()
                        }
                    }
                }
                try await group.waitForAll()
            }
            let animals = try await store().fetchAnimals().first() ?? []
            #expect(Set(animals.map(\.name)).count == 6 + 40)
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
        for animal in AnimalsData.sample.animals { _ = try await LocalStore(location).deleteAnimal(animal.id).first() }
        #expect(try await LocalStore(location).fetchAnimals().first() == [])
        #expect(try await LocalStore(location).fetchCategories().first() == AnimalsData.sample.categories)
    }

    @Test("A file that cannot be opened is told")
    func unusable() {
        #expect(throws: StoreError.self) { try LocalStore(.file("/there/is/no/such/folder/animals.sqlite")) }
    }

    // MARK: - Machinery

    private func post(_ body: String, to backend: LocalBackend) async throws -> (Int, String) {
        let url = try #require(backend.address).appending(path: "animals/api")
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = Data(body.utf8)
        let (data, response) = try await URLSession.shared.data(for: request)
        return (try #require(response as? HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))
    }

    private func text(_ name: String) throws -> String {
        String(decoding: try AnimalsExpectations.wire(name), as: UTF8.self)
    }
}
