import Animals
import AnimalsBackend
import Foundation
import LocalBackend
import Persistence
import Presentation

/// Chooses each of the two stores of animals in turn, and does the same on both: the screens at the end must be the
/// same.
struct AnimalsDemo: DemoFlow {
    let feature = DemoFeature(
        name: "animals", summary: "keep animals on this machine or on a server", keepsData: true,
        servesKeptData: true, port: AnimalsBackend.port)

    func makeController(_ materials: DemoMaterials, on screens: ScreenStack) -> any FlowController {
        AnimalsLaunchFlowController(
            accessible: materials.session, location: .at(materials.database),
            makeID: { [makeID = materials.makeID] in makeID().uuidString }, on: screens)
    }

    var source: FlowSource {
        FlowSource(
            imports: ["Animals"],
            lines: [
                "let flow = AnimalsLaunchFlowController(",
                "    accessible: session, location: .memory, makeID: { ids.next().uuidString }, on: screens)",
            ])
    }

    func play(_ person: ScriptedPerson) async throws {
        var ends: [[String]] = []
        for place in AnimalsPlace.allCases {
            try await person.uses(place.name)
            ends.append(try await useAnimals(person))
            try await person.uses("Leave")
        }
        guard ends[0] == ends[1] else { throw FlowError.differentScreens(ends[0].joined(), ends[1].joined()) }
        try await person.sees(AnimalsPlace.allCases[0].name)
        try await person.uses("Leave")
    }

    /// - Returns: The screens at the end, as text.
    private func useAnimals(_ person: ScriptedPerson) async throws -> [String] {
        try await person.sees("Which animals would you like to see?")
        try await person.uses("Reload sample data", times: 2)
        try await person.uses("Mammal")
        try await person.sees("Kangaroo")

        try await person.uses("Add an animal")
        try await person.uses("Save")
        try await person.sees("What is it called?")
        try await person.types("Red fox", into: "Name")
        try await person.uses("Omnivore")
        try await person.uses("Save", times: 2)
        try await person.uses("Red fox")
        try await person.uses("Edit")
        try await person.types("Arctic fox", into: "Name")
        try await person.uses("Carnivore")
        try await person.uses("Save")
        try await person.sees("Delete")
        try await person.sees("Arctic fox")
        try await person.uses("Back")

        try await person.uses("Dog")
        try await person.uses("Delete")
        try await person.uses("Keep it")
        try await person.uses("Delete")
        try await person.uses("Delete it", times: 2)
        try await person.sees("Add an animal")
        let mammals = try await person.looks() ?? ""
        try await person.uses("Back")
        try await person.uses("Refresh")
        return [mammals, try await person.looks() ?? ""]
    }
}

// MARK: - Backend

extension AnimalsDemo {
    func serve(on backend: LocalBackend) {}

    func serve(on backend: LocalBackend, keepingDataIn place: ServedDatabase.Place) throws {
        let database = try ServedDatabase(place)
        let store = try LocalStore(
            animals: database.store(of: Animal.schema), categories: database.store(of: Category.schema),
            additions: database.store(of: Addition.schema))
        AnimalsBackend(store: store).serve(on: backend)
    }
}

extension SQLiteDatabase.Location {
    /// A file, or memory if there is none.
    static func at(_ file: URL?) -> Self {
        file.map { .file($0.path(percentEncoded: false)) } ?? .memory
    }
}
