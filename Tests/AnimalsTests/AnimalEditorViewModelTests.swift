import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import Testing

@testable import Animals

struct AnimalEditorViewModelTests {
    private let stub = AnimalsBusinessControllerStub()
    private let routes = Signal<AnimalEditorViewModel.Route, NoError>.pipe()
    private let ticket = AnimalsLibrary.Ticket.screen(UUID())

    private func tester(
        _ subject: AnimalEditorViewModel.Subject
    ) -> LoopTester<AnimalEditorViewModel.State, AnimalEditorViewModel.Event> {
        let tester = LoopTester(
            initial: AnimalEditorViewModel.State(subject), reduce: AnimalEditorViewModel.reduce,
            feedbacks: AnimalEditorViewModel.feedbacks(
                ticket: ticket, library: stub.library(.fixture()), routes: routes.input))
        tester.receive(.didChangeCategories([.fixture()])) { $0.categories = [.fixture()] }
        tester.receive(.didChangeSaving(.empty))
        return tester
    }

    @Test("A new animal is described, added, and leads back")
    func adding() {
        let log = RouteLog(routes.output)
        let tester = tester(.new(in: nil))

        tester.send(.ui(.editName(" Fox "))) { $0.form.name = " Fox " }
        tester.send(.ui(.chooseDiet(.omnivorous))) { $0.form.diet = .omnivorous }
        tester.send(.ui(.chooseCategory("Mammal"))) { $0.form.categoryId = "Mammal" }
        tester.send(.ui(.save))
        tester.receive(.didChangeSaving(.waiting(attempt: 1))) { $0.saving = .waiting(attempt: 1) }
        #expect(stub.additions.asked == [.fixture()])
        stub.additions.answer(.success(.fixture(animalId: "1", name: "Fox")))
        tester.receive(.didChangeSaving(.success)) { $0.saving = .success }
        #expect(log.routes == [.leave])
        tester.receive(.didChangeSaving(.empty))
        tester.send(.ui(.save))
        #expect(stub.additions.asked.count == 1)
        tester.finish()
    }

    @Test("An animal that is there is updated under its id")
    func updating() {
        let tester = tester(.existing(.fixture()))

        tester.send(.ui(.editName("Wild cat"))) { $0.form.name = "Wild cat" }
        tester.send(.ui(.save))
        tester.receive(.didChangeSaving(.waiting(attempt: 1))) { $0.saving = .waiting(attempt: 1) }
        #expect(stub.updates.asked == [.fixture(name: "Wild cat")])
        tester.skipTheRest()
    }

    @Test("An incomplete form is not saved: its problems are shown until it is complete")
    func incomplete() {
        let tester = tester(.new(in: "Mammal"))

        tester.send(.ui(.save)) { $0.showsProblems = true }
        #expect(stub.additions.asked.isEmpty)
        tester.finish()
    }

    @Test("While it is saved the form does not change, and a second tap does nothing")
    func frozen() {
        let tester = tester(.existing(.fixture()))

        tester.send(.ui(.save))
        tester.receive(.didChangeSaving(.waiting(attempt: 1))) { $0.saving = .waiting(attempt: 1) }
        tester.send(.ui(.save))
        tester.send(.ui(.editName("")))
        tester.send(.ui(.chooseDiet(.herbivorous)))
        tester.send(.ui(.chooseCategory("Fish")))
        #expect(stub.updates.asked.count == 1)
        tester.skipTheRest()
    }

    @Test("What could not be saved stays in the form, and can be tried again")
    func retry() {
        let tester = tester(.existing(.fixture()))

        tester.send(.ui(.save))
        tester.receive(.didChangeSaving(.waiting(attempt: 1))) { $0.saving = .waiting(attempt: 1) }
        stub.updates.answer(.failure(.unknownAnimal("Cat")))
        tester.receive(.didChangeSaving(.failure(.unknownAnimal("Cat"), attempt: 1))) {
            $0.saving = .failure(.unknownAnimal("Cat"), attempt: 1)
        }
        tester.send(.ui(.save))
        tester.receive(.didChangeSaving(.waiting(attempt: 2))) { $0.saving = .waiting(attempt: 2) }
        #expect(stub.updates.asked.count == 2)
        tester.skipTheRest()
    }

    @Test("Leaving is a route, and what is being saved goes on")
    func leaving() {
        let log = RouteLog(routes.output)
        let tester = tester(.existing(.fixture()))

        tester.send(.ui(.save))
        tester.receive(.didChangeSaving(.waiting(attempt: 1))) { $0.saving = .waiting(attempt: 1) }
        tester.send(.ui(.leave))
        tester.receive(.didChangeSaving(.empty)) { $0.saving = .empty }
        #expect(log.routes == [.leave])
        #expect(stub.updates.running == 1)
        tester.finish()
    }
}

struct AnimalFormTests {
    @Test("A complete form gives an animal without space around its name")
    func complete() {
        #expect(
            AnimalForm(name: "\n Red fox\t", diet: .omnivorous, categoryId: "Mammal").draft == .fixture(name: "Red fox")
        )
        #expect(AnimalForm(.fixture()).draft?.animal(withId: "Cat") == .fixture())
    }

    @Test(
        "What is missing, or too long, is a problem",
        arguments: [
            AnimalForm(name: "  ", diet: .omnivorous, categoryId: "Mammal"),
            AnimalForm(name: String(repeating: "x", count: 101), diet: .omnivorous, categoryId: "Mammal"),
            AnimalForm(name: "Fox", categoryId: "Mammal"), AnimalForm(name: "Fox", diet: .omnivorous),
        ])
    func problems(form: AnimalForm) {
        #expect(AnimalForm.Field.allCases.compactMap { form.problem(in: $0) }.count == 1)
        #expect(form.draft == nil)
    }
}
