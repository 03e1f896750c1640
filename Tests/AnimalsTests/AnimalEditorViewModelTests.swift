import FeedbackTesting
import Fixtures
import Foundation
import Presentation
import Testing

@testable import Animals

struct AnimalEditorViewModelTests {
    private let stub = AnimalsBusinessControllerStub()
    private let routes = RouteLog<AnimalEditorViewModel.Route>()
    private let requester = AnimalsLibrary.Requester.screen(UUID())

    private func tester(
        _ subject: AnimalEditorViewModel.Subject
    ) -> LoopTester<AnimalEditorViewModel.State, AnimalEditorViewModel.Event> {
        let tester = LoopTester(
            AnimalEditorViewModel(subject, library: stub.library(.fixture()), requester: requester), routes: routes)
        tester.receive(.didChangeCategories([.fixture()])) { $0.categories = [.fixture()] }
        tester.receive(.didChangeSaving(.idle))
        return tester
    }

    @Test("A new animal is described, added, and leads back")
    func adding() {
        let tester = tester(.new(in: nil))

        tester.send(.ui(.edit(.name, " Fox "))) { $0.form.name = " Fox " }
        tester.send(.ui(.chooseDiet(.omnivorous))) { $0.form.diet = .omnivorous }
        tester.send(.ui(.chooseCategory("Mammal"))) { $0.form.categoryId = "Mammal" }
        tester.send(.ui(.save))
        tester.receive(.didChangeSaving(.underWay())) { $0.saving = .underWay() }
        #expect(stub.additions.inputs == [.fixture()])
        stub.additions.answer(.fixture(animalId: "1", name: "Fox"))
        tester.receive(.didChangeSaving(.done)) { $0.saving = .done }
        #expect(routes.routes == [.leave])
        tester.receive(.didChangeSaving(.idle))
        tester.send(.ui(.save))
        #expect(stub.additions.callCount == 1)
        tester.finish()
    }

    @Test("An existing animal is updated under its id")
    func updating() {
        let tester = tester(.existing(.fixture()))

        tester.send(.ui(.edit(.name, "Wild cat"))) { $0.form.name = "Wild cat" }
        tester.send(.ui(.save))
        tester.receive(.didChangeSaving(.underWay())) { $0.saving = .underWay() }
        #expect(stub.updates.inputs == [.fixture(name: "Wild cat")])
        tester.skipTheRest()
    }

    @Test("An incomplete form is not saved: its problems are shown until it is complete")
    func incomplete() {
        let tester = tester(.new(in: "Mammal"))

        tester.send(.ui(.save)) { $0.showsProblems = true }
        #expect(stub.additions.inputs.isEmpty)
        tester.finish()
    }

    @Test("While it is saved the form does not change, and a second tap does nothing")
    func frozen() {
        let tester = tester(.existing(.fixture()))

        tester.send(.ui(.save))
        tester.receive(.didChangeSaving(.underWay())) { $0.saving = .underWay() }
        tester.send(.ui(.save))
        tester.send(.ui(.edit(.name, "")))
        tester.send(.ui(.chooseDiet(.herbivorous)))
        tester.send(.ui(.chooseCategory("Fish")))
        #expect(stub.updates.callCount == 1)
        tester.skipTheRest()
    }

    @Test("A form that could not be saved keeps its text, and can be tried again")
    func retry() {
        let tester = tester(.existing(.fixture()))

        tester.send(.ui(.save))
        tester.receive(.didChangeSaving(.underWay())) { $0.saving = .underWay() }
        stub.updates.fail(.unknownAnimal("Cat"))
        tester.receive(.didChangeSaving(.failed(.unknownAnimal("Cat"), number: 1))) {
            $0.saving = .failed(.unknownAnimal("Cat"), number: 1)
        }
        tester.send(.ui(.save))
        tester.receive(.didChangeSaving(.underWay(number: 2))) { $0.saving = .underWay(number: 2) }
        #expect(stub.updates.callCount == 2)
        tester.skipTheRest()
    }

    @Test("Leaving is a route, and the saving goes on")
    func leaving() {
        let tester = tester(.existing(.fixture()))

        tester.send(.ui(.save))
        tester.receive(.didChangeSaving(.underWay())) { $0.saving = .underWay() }
        tester.send(.ui(.leave))
        tester.receive(.didChangeSaving(.idle)) { $0.saving = .idle }
        #expect(routes.routes == [.leave])
        #expect(stub.updates.waitingCount == 1)
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
        "A missing value, or a name that is too long, is a problem",
        arguments: [
            AnimalForm(name: "  ", diet: .omnivorous, categoryId: "Mammal"),
            AnimalForm(name: String(repeating: "x", count: 101), diet: .omnivorous, categoryId: "Mammal"),
            AnimalForm(name: "Fox", categoryId: "Mammal"), AnimalForm(name: "Fox", diet: .omnivorous),
        ])
    func problems(form: AnimalForm) {
        let problems = [form.problem(in: .name), form.dietProblem, form.categoryProblem]
        #expect(problems.compactMap(\.self).count == 1)
        #expect(form.draft == nil)
    }
}
