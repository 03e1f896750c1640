import Feedback
import FeedbackTesting
import Fixtures
import Testing

@testable import Animals

struct AnimalsBusinessControllerTests {
    @Test("Has everything done by its store")
    func operations() async throws {
        let controller = AnimalsBusinessController(store: MemoryDouble())
        #expect(try await controller.fetchData().first() == .sample)
        let fox = try #require(try await controller.addAnimal(.fixture()).first())
        #expect(fox == AnimalDraft.fixture().animal(withId: fox.id))
        #expect(try await controller.updateAnimal(.fixture(name: "Wild cat")).first() == .fixture(name: "Wild cat"))
        #expect(try await controller.deleteAnimal(fox.id).first() == fox)
        #expect(try await controller.reloadSampleData().first() == .sample)
    }

    @Test("The store works on the scheduler, and not at all for who has given up before")
    func scheduler() {
        let scheduler = TestScheduler()
        let controller = AnimalsBusinessController(store: MemoryDouble(), scheduler: scheduler)
        let data = MutableProperty<AnimalsData?>(nil)
        let fetching = controller.fetchData().startWithResult { data.value = try? $0.get() }
        #expect(data.value == nil)
        scheduler.advance()
        #expect(data.value == .sample)
        fetching.dispose()

        controller.reloadSampleData().startWithResult { _ in data.value = nil }.dispose()
        scheduler.advance()
        #expect(data.value == .sample)
    }

    @Test("Hands on what the store fails with")
    func failure() async {
        let controller = AnimalsBusinessController(store: MemoryDouble())
        await #expect(throws: AnimalsError.unknownAnimal("Yeti")) { try await controller.deleteAnimal("Yeti").first() }
    }
}
