import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import Testing

@testable import Animals

struct AnimalsBusinessControllerTests {
    @Test("Asks its store for everything")
    func operations() async throws {
        let controller = AnimalsBusinessController(store: MemoryDouble())
        #expect(try await controller.fetchData().value() == .sample)
        let fox = try await controller.addAnimal(.fixture(), key: UUID()).value()
        #expect(fox == AnimalDraft.fixture().animal(withId: fox.id))
        #expect(try await controller.updateAnimal(.fixture(name: "Wild cat")).value() == .fixture(name: "Wild cat"))
        #expect(try await controller.deleteAnimal(fox.id).value() == fox)
        #expect(try await controller.reloadSampleData().value() == .sample)
    }

    @Test("Fails with the store's error")
    func failure() async {
        let controller = AnimalsBusinessController(store: MemoryDouble())
        await #expect(throws: AnimalsError.unknownAnimal("Yeti")) { try await controller.deleteAnimal("Yeti").value() }
    }
}
