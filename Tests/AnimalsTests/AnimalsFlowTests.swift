import Feedback
import Fixtures
import LocalBackend
import Presentation
import Testing

@testable import Animals

/// The feature as it is built, on every store, the remote one over real sockets.
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
    /// - Returns: How the screens look on the way and at the end.
    private func useAnimals(_ flow: Flow) async throws -> [String] {
        var screens: [String] = []
        await flow.sees("4 animals")
        screens.append(flow.text)
        try await flow.use("Mammal")
        try await flow.use("Add an animal")
        try await flow.type("Trout", into: "Name")
        try await flow.use("Carnivore")
        try await flow.use("Save")
        try await flow.use("Trout")
        try await flow.use("Edit")
        screens.append(flow.text)
        try await flow.use("Fish")
        try await flow.use("Save")
        await flow.sees("Category  Fish")
        try await flow.use("Back")
        try await flow.use("Dog")
        try await flow.use("Delete")
        try await flow.use("Delete it")
        await flow.sees("Kangaroo")
        screens.append(flow.text)
        try await flow.use("Back")
        await flow.sees("Fish          1 animal")
        screens.append(flow.text)
        try await flow.use("Reload sample data")
        await flow.sees("Fish          0 animals")
        screens.append(flow.text)
        try await flow.use("Leave")
        #expect(flow.screens.screens.isEmpty)
        return screens
    }

    @Test("On launch one request is sent")
    func launch() async throws {
        try await withServer { backend, store in
            let flow = Flow(store())
            await flow.sees("4 animals")
            let request = try AnimalsExpectations.wire("launch-request")
            #expect(backend.requests.map(\.body) == [request])
        }
    }

    @Test("A server that fails shows its error, keeps what was there, and trying again goes on")
    func retry() async throws {
        try await withServer { backend, store in
            let flow = Flow(store())
            await flow.sees("4 animals")
            backend.misbehave(.fail(rate: 1), times: 1)
            try await flow.use("Refresh")
            await flow.sees("503")
            await flow.sees("4 animals")
            try await flow.use("Try again")
            await flow.sees("Which animals would you like to see?")
        }
    }

    @Test("What one person has deleted is told as gone to the other who saves it, and nothing breaks")
    func twoPeople() async throws {
        try await withServer { _, store in
            let (one, other) = (Flow(store()), Flow(store()))
            try await one.use("Mammal")
            try await one.use("Cat")
            try await one.use("Edit")
            try await one.type("Wild cat", into: "Name")

            try await other.use("Mammal")
            try await other.use("Cat")
            try await other.use("Delete")
            try await other.use("Delete it")
            await other.sees("Dog")

            try await one.use("Save")
            await one.sees("There is no animal Cat; perhaps somebody else has deleted it.")
            await one.sees("Wild cat")
            try await one.use("Back")
            try await one.use("Back")
            await one.sees("Dog")
            #expect(!one.text.contains("Cat"))
            try await one.use("Back")
            await one.sees("3 animals")
        }
    }

    @Test("Two quick taps on save add one animal")
    func doubleTap() async throws {
        try await withServer { backend, store in
            let flow = Flow(store())
            try await flow.use("Bird")
            try await flow.use("Add an animal")
            try await flow.type("Robin", into: "Name")
            try await flow.use("Omnivore")
            try await flow.use("Save", times: 2)
            await flow.sees("Sparrow")
            #expect(backend.requests.count == 2)
        }
    }
}

// MARK: - Machinery

/// A flow with somebody who uses it.
private struct Flow {
    let controller: AnimalsFlowController

    init(_ store: any AnimalsStore) {
        controller = AnimalsFlowController(AnimalsBuilder(AnimalsBuildingMaterials(store: store)))
        controller.start()
    }

    var screens: ScreenStack { controller.screens }
    var text: String { screens.top?.screen.text() ?? "" }

    func sees(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async {
        await eventually(sourceLocation: sourceLocation) { self.text.contains(text) }
    }

    func use(_ name: String, times: Int = 1) async throws {
        let control = try await control(name)
        for _ in 0..<times {
            switch control {
            case let .button(button): button.action()
            case let .choice(choice): choice.action()
            case .field: Issue.record("\(name) is a field.")
            }
        }
    }

    func type(_ text: String, into name: String) async throws {
        guard case let .field(field) = try await control(name) else {
            Issue.record("\(name) is no field.")
            return
        }
        field.edit(text)()
    }

    /// Waits for the control, which is there when nothing is under way.
    private func control(_ name: String) async throws -> Screen<AnyAction>.Control {
        let find = {
            screens.top.flatMap { top -> Screen<AnyAction>.Control? in
                let screen = top.screen
                guard screen.progress.isEmpty else { return nil }
                return screen.controls.first { $0.name == name && $0.isEnabled }
            }
        }
        await eventually { find() != nil }
        return try #require(find(), "\(name) in \(text)")
    }
}
