import Fixtures
import LocalBackend
import Presentation
import Testing

@testable import Animals

/// The whole feature on every store, the remote one over real sockets.
struct AnimalsFlowTests {
    @Test("The same script ends with the same screens on every store")
    func sameScreens() async throws {
        let local = try await useAnimals(Flow(LocalStore(.memory)))
        let memory = try await useAnimals(Flow(MemoryDouble()))
        #expect(local == memory)
        try await withServer { _, store in
            let remote = try await useAnimals(Flow(store()))
            #expect(remote == local)
        }
    }

    /// Adds an animal, edits it into another category, deletes one.
    ///
    /// - Returns: The screens on the way and at the end, as text.
    private func useAnimals(_ flow: Flow) async throws -> [String] {
        var screens: [String] = []
        try await flow.person.sees("4 animals")
        screens.append(try await flow.person.looks() ?? "")
        try await flow.person.uses("Mammal")
        try await flow.person.uses("Add an animal")
        try await flow.person.types("Trout", into: "Name")
        try await flow.person.uses("Carnivore")
        try await flow.person.uses("Save")
        try await flow.person.uses("Trout")
        try await flow.person.uses("Edit")
        screens.append(try await flow.person.looks() ?? "")
        try await flow.person.uses("Fish")
        try await flow.person.uses("Save")
        try await flow.person.sees("Category  Fish")
        try await flow.person.uses("Back")
        try await flow.person.uses("Dog")
        try await flow.person.uses("Delete")
        try await flow.person.uses("Delete it")
        try await flow.person.sees("Kangaroo")
        screens.append(try await flow.person.looks() ?? "")
        try await flow.person.uses("Back")
        try await flow.person.sees("Fish          1 animal")
        screens.append(try await flow.person.looks() ?? "")
        try await flow.person.uses("Reload sample data")
        try await flow.person.sees("Fish          0 animals")
        screens.append(try await flow.person.looks() ?? "")
        try await flow.person.uses("Leave")
        #expect(flow.controller.screens.screens.isEmpty)
        return screens
    }

    @Test("On launch one request is sent")
    func launch() async throws {
        try await withServer { backend, store in
            let flow = Flow(store())
            try await flow.person.sees("4 animals")
            let request = try AnimalsExpectations.wire("launch-request")
            #expect(backend.requests.map(\.body) == [request])
        }
    }

    @Test("A server that fails shows its error above the list, and trying again succeeds")
    func retry() async throws {
        try await withServer { backend, store in
            let flow = Flow(store())
            try await flow.person.sees("4 animals")
            backend.misbehave(.fail(rate: 1), times: 1)
            try await flow.person.uses("Refresh")
            try await flow.person.sees("503")
            try await flow.person.sees("4 animals")
            try await flow.person.uses("Try again")
            try await flow.person.sees("Which animals would you like to see?")
        }
    }

    @Test("An animal that one person deletes is gone for the other who saves it")
    func twoPeople() async throws {
        try await withServer { _, store in
            let (one, other) = (Flow(store()), Flow(store()))
            try await one.person.uses("Mammal")
            try await one.person.uses("Cat")
            try await one.person.uses("Edit")
            try await one.person.types("Wild cat", into: "Name")

            try await other.person.uses("Mammal")
            try await other.person.uses("Cat")
            try await other.person.uses("Delete")
            try await other.person.uses("Delete it")
            try await other.person.sees("Dog")

            try await one.person.uses("Save")
            try await one.person.sees("There is no animal Cat; perhaps somebody else has deleted it.")
            try await one.person.sees("Wild cat")
            try await one.person.uses("Back")
            try await one.person.sees("has been deleted.")
            try await one.person.uses("Back")
            try await one.person.uses("Back")
            try await one.person.sees("3 animals")
        }
    }

    @Test("Two quick taps on save add one animal")
    func doubleTap() async throws {
        try await withServer { backend, store in
            let flow = Flow(store())
            try await flow.person.uses("Bird")
            try await flow.person.uses("Add an animal")
            try await flow.person.types("Robin", into: "Name")
            try await flow.person.uses("Omnivore")
            try await flow.person.uses("Save", times: 2)
            try await flow.person.sees("Sparrow")
            #expect(backend.requests.count == 2)
        }
    }
}

// MARK: - Running the flow

/// A flow, and a person who uses it.
private struct Flow {
    let controller: AnimalsFlowController
    let person: ScriptedPerson

    init(_ store: any AnimalsStore) {
        controller = AnimalsFlowController(AnimalsBuilder(store: store))
        person = ScriptedPerson(controller.screens)
        controller.start()
    }
}
