import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import Networking
import Testing

@testable import Animals

/// The remote store against canned answers.
struct RemoteStoreTests {
    private let backend = CannedBackend()

    private var store: RemoteStore { RemoteStore(accessible: backend.session()) }

    private func answer(status: Int = 200, _ body: String) {
        backend.answer(CannedAnswer(.POST, "/animals/api", status: status, body: body))
    }

    private func answerCanned(_ name: String) throws {
        answer(String(decoding: try AnimalsExpectations.wire("\(name)-response"), as: UTF8.self))
    }

    private func expectRequest(_ name: String) throws {
        #expect(backend.requests.map(\.description) == ["POST /animals/api"])
        #expect(try backend.requests.first?.body == AnimalsExpectations.wire("\(name)-request"))
    }

    // MARK: - Byte for byte

    @Test("On launch categories and animals come in one request")
    func launch() async throws {
        try answerCanned("launch")
        #expect(try await store.fetchData() == .fixture())
        try expectRequest("launch")
    }

    @Test("Categories are asked for byte for byte as other clients ask")
    func categories() async throws {
        try answerCanned("categories")
        #expect(try await store.fetchCategories().map(\.id) == ["Bird", "Mammal"])
        try expectRequest("categories")
    }

    @Test("Animals are asked for byte for byte as other clients ask")
    func animals() async throws {
        try answerCanned("animals")
        #expect(try await store.fetchAnimals() == [.fixture()])
        try expectRequest("animals")
    }

    @Test("Every change is asked for byte for byte as other clients ask")
    func changes() async throws {
        try answerCanned("add")
        #expect(
            try await store.addAnimal(.fixture(name: "Cat", diet: .carnivorous)) == .fixture())
        try expectRequest("add")
    }

    @Test("An update is asked for byte for byte as other clients ask")
    func update() async throws {
        try answerCanned("update")
        #expect(try await store.updateAnimal(.fixture()) == .fixture())
        try expectRequest("update")
    }

    @Test("A deletion is asked for byte for byte as other clients ask")
    func delete() async throws {
        try answerCanned("delete")
        #expect(try await store.deleteAnimal("Cat") == .fixture())
        try expectRequest("delete")
    }

    @Test("Reloading is asked for byte for byte as other clients ask")
    func reload() async throws {
        try answerCanned("reload")
        #expect(try await store.reloadSampleData() == .fixture())
        try expectRequest("reload")
    }

    @Test("Unknown keys in an answer are ignored")
    func unknownKeys() async throws {
        try answerCanned("unknown-keys")
        #expect(try await store.fetchData() == .fixture())
    }

    // MARK: - Errors

    @Test(
        "An answer without the part that was asked for fails with its name",
        arguments: ["{}", #"{"query":[],"mutation":[]}"#, #"{"query":null}"#])
    func missing(body: String) async {
        answer(body)
        let store = store
        await #expect(throws: AnimalsError.categoriesNotFound) { try await store.fetchCategories() }
        await #expect(throws: AnimalsError.categoriesNotFound) { try await store.fetchData() }
        await #expect(throws: AnimalsError.animalsNotFound) { try await store.fetchAnimals() }
        await #expect(throws: AnimalsError.animalNotFound) { try await store.addAnimal(.fixture()) }
        await #expect(throws: AnimalsError.animalNotFound) { try await store.updateAnimal(.fixture()) }
        await #expect(throws: AnimalsError.animalNotFound) { try await store.deleteAnimal("Cat") }
        await #expect(throws: AnimalsError.sampleDataNotFound) { try await store.reloadSampleData() }
    }

    @Test("An answer to another question is refused")
    func otherAnswer() async throws {
        try answerCanned("delete")
        await #expect(throws: AnimalsError.animalNotFound) { try await store.updateAnimal(.fixture()) }
        try answerCanned("animals")
        await #expect(throws: AnimalsError.categoriesNotFound) { try await store.fetchData() }
    }

    @Test("Of several answers the first one of the kind that was asked for counts, among queries and mutations alike")
    func firstOfKind() async throws {
        let (cat, dog) = (Animal.fixture(), Animal.fixture(animalId: "Dog"))
        let response = RemoteResponse(
            query: [.categories(categories: []), .animals(animals: [dog]), .animals(animals: [cat])],
            mutation: [
                .deleteAnimal(animal: cat), .updateAnimal(animal: dog), .addAnimal(animal: dog),
                .addAnimal(animal: cat), .updateAnimal(animal: cat), .reloadSampleData(animals: [dog], categories: []),
            ])
        answer(String(decoding: try AnimalsService.jsonEncoder.encode(response), as: UTF8.self))
        #expect(try await store.fetchAnimals() == [dog])
        #expect(try await store.addAnimal(.fixture()) == dog)
        #expect(try await store.updateAnimal(cat) == dog)
        #expect(try await store.deleteAnimal("Cat") == cat)
        #expect(try await store.reloadSampleData() == AnimalsData(categories: [], animals: [dog]))
    }

    @Test("Each attempt to add an animal is sent with its key, and the body stays as it was")
    func idempotencyKey() async throws {
        try answerCanned("add")
        let key = UUID()
        _ = try await store.addAnimal(.fixture(name: "Cat", diet: .carnivorous), key: key)
        #expect(backend.requests.first?.headers["Idempotency-Key"] == key.uuidString)
        try expectRequest("add")
    }

    @Test("A refusal has the id that the server does not know, or its reason")
    func refusals() async {
        let store = store
        answer(status: 404, #"{"animalId":"Cat","reason":"No."}"#)
        await #expect(throws: AnimalsError.unknownAnimal("Cat")) { try await store.fetchAnimals() }
        answer(status: 422, #"{"categoryId":"Myth","reason":"No."}"#)
        await #expect(throws: AnimalsError.unknownCategory("Myth")) { try await store.fetchAnimals() }
        answer(status: 400, #"{"reason":"Not on Sundays."}"#)
        await #expect(throws: AnimalsError.refused(status: 400, reason: "Not on Sundays.")) {
            try await store.fetchAnimals()
        }
    }

    @Test("Errors of the network, the parser and the URL are passed on")
    func otherErrors() async throws {
        let store = store
        backend.answer(CannedAnswer(.POST, "/animals/api", failing: .fixture()))
        await #expect(throws: AnimalsError.remote(.fixture())) { try await store.fetchAnimals() }

        answer("<html>")
        let parsing = await #expect(throws: AnimalsError.self) { try await store.fetchAnimals() }
        guard case .remote(.parsing) = parsing else {
            Issue.record("Expected a parsing failure, not \(String(describing: parsing))")
            return
        }
        answer(status: 503, "Later.")
        let status = await #expect(throws: AnimalsError.self) { try await store.fetchAnimals() }
        guard case let .remote(.status(failure)) = status, failure.code == 503 else {
            Issue.record("Expected a status, not \(String(describing: status))")
            return
        }
        let nowhere = RemoteStore(
            accessible: backend.session(environment: BackendEnvironment(name: "nowhere", services: [:])))
        let request = await #expect(throws: AnimalsError.self) { try await nowhere.fetchAnimals() }
        guard case .remote(.request) = request else {
            Issue.record("Expected a request failure, not \(String(describing: request))")
            return
        }
    }

    @Test("Every error is a sentence")
    func sentences() {
        let errors: [AnimalsError] = [
            .categoriesNotFound, .animalsNotFound, .animalNotFound, .sampleDataNotFound, .unknownAnimal("Cat"),
            .unknownCategory("Myth"), .refused(status: 400, reason: "Not on Sundays."), .fixture(),
            .local(.readOnly(file: "animals.sqlite")),
        ]
        for error in errors { #expect("\(error)".hasSuffix(".") && "\(error)".contains(" ")) }
    }
}
