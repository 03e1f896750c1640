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
        #expect(try await store.fetchData().first() == .fixture())
        try expectRequest("launch")
    }

    @Test("Categories are asked for byte for byte as other clients ask")
    func categories() async throws {
        try answerCanned("categories")
        #expect(try await store.fetchCategories().first()?.map(\.id) == ["Bird", "Mammal"])
        try expectRequest("categories")
    }

    @Test("Animals are asked for byte for byte as other clients ask")
    func animals() async throws {
        try answerCanned("animals")
        #expect(try await store.fetchAnimals().first() == [.fixture()])
        try expectRequest("animals")
    }

    @Test("Every change is asked for byte for byte as other clients ask")
    func changes() async throws {
        try answerCanned("add")
        #expect(
            try await store.addAnimal(.fixture(name: "Cat", diet: .carnivorous)).first() == .fixture())
        try expectRequest("add")
    }

    @Test("An update is asked for byte for byte as other clients ask")
    func update() async throws {
        try answerCanned("update")
        #expect(try await store.updateAnimal(.fixture()).first() == .fixture())
        try expectRequest("update")
    }

    @Test("A deletion is asked for byte for byte as other clients ask")
    func delete() async throws {
        try answerCanned("delete")
        #expect(try await store.deleteAnimal("Cat").first() == .fixture())
        try expectRequest("delete")
    }

    @Test("Reloading is asked for byte for byte as other clients ask")
    func reload() async throws {
        try answerCanned("reload")
        #expect(try await store.reloadSampleData().first() == .fixture())
        try expectRequest("reload")
    }

    @Test("Unknown keys in an answer do no harm")
    func unknownKeys() async throws {
        try answerCanned("unknown-keys")
        #expect(try await store.fetchData().first() == .fixture())
    }

    // MARK: - Errors

    @Test(
        "An answer without what was asked for is told as what is missing",
        arguments: ["{}", #"{"query":[],"mutation":[]}"#, #"{"query":null}"#])
    func missing(body: String) async {
        answer(body)
        let store = store
        await #expect(throws: AnimalsError.categoriesNotFound) { try await store.fetchCategories().first() }
        await #expect(throws: AnimalsError.categoriesNotFound) { try await store.fetchData().first() }
        await #expect(throws: AnimalsError.animalsNotFound) { try await store.fetchAnimals().first() }
        await #expect(throws: AnimalsError.animalNotFound) { try await store.addAnimal(.fixture()).first() }
        await #expect(throws: AnimalsError.animalNotFound) { try await store.updateAnimal(.fixture()).first() }
        await #expect(throws: AnimalsError.animalNotFound) { try await store.deleteAnimal("Cat").first() }
        await #expect(throws: AnimalsError.sampleDataNotFound) { try await store.reloadSampleData().first() }
    }

    @Test("An answer to another question is no answer")
    func otherAnswer() async throws {
        try answerCanned("delete")
        await #expect(throws: AnimalsError.animalNotFound) { try await store.updateAnimal(.fixture()).first() }
        try answerCanned("animals")
        await #expect(throws: AnimalsError.categoriesNotFound) { try await store.fetchData().first() }
    }

    @Test("A refusal is told with what the server does not know, or with its reason")
    func refusals() async {
        let store = store
        answer(status: 404, #"{"animalId":"Cat","reason":"No."}"#)
        await #expect(throws: AnimalsError.unknownAnimal("Cat")) { try await store.fetchAnimals().first() }
        answer(status: 422, #"{"categoryId":"Myth","reason":"No."}"#)
        await #expect(throws: AnimalsError.unknownCategory("Myth")) { try await store.fetchAnimals().first() }
        answer(status: 400, #"{"reason":"Not on Sundays."}"#)
        await #expect(throws: AnimalsError.refused(status: 400, reason: "Not on Sundays.")) {
            try await store.fetchAnimals().first()
        }
    }

    @Test("What networks, parsers and URLs fail with stays what it is")
    func otherErrors() async throws {
        let store = store
        backend.answer(CannedAnswer(.POST, "/animals/api", failing: .fixture()))
        await #expect(throws: AnimalsError.remote(.fixture())) { try await store.fetchAnimals().first() }

        answer("<html>")
        let parsing = await #expect(throws: AnimalsError.self) { try await store.fetchAnimals().first() }
        guard case .remote(.parsing) = parsing else {
            Issue.record("Expected a parsing failure, not \(String(describing: parsing))")
            return
        }
        answer(status: 503, "Later.")
        let status = await #expect(throws: AnimalsError.self) { try await store.fetchAnimals().first() }
        guard case let .remote(.status(failure)) = status, failure.code == 503 else {
            Issue.record("Expected a status, not \(String(describing: status))")
            return
        }
        let nowhere = RemoteStore(
            accessible: backend.session(environment: BackendEnvironment(name: "nowhere", services: [:])))
        let request = await #expect(throws: AnimalsError.self) { try await nowhere.fetchAnimals().first() }
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
