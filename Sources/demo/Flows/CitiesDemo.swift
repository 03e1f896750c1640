import Cities
import CitiesBackend
import LocalBackend
import Presentation

/// Chooses a city, gets the address wrong, orders a delivery, asks a question.
struct CitiesDemo: DemoFlow {
    let feature = DemoFeature(name: "cities", summary: "choose a city, order a delivery, ask a question")

    func makeController(_ materials: DemoMaterials, on screens: ScreenStack) -> any FlowController {
        CitiesFlowController(CitiesBuilder(accessible: materials.session), on: screens)
    }

    var source: FlowSource {
        FlowSource(
            imports: ["Cities"],
            lines: [
                "let flow = CitiesFlowController(CitiesBuilder(accessible: session), on: screens)"
            ])
    }

    func play(_ person: ScriptedPerson) async throws {
        try await person.sees("Where shall we deliver to?")
        try await person.uses("Refresh")
        try await person.uses("London")
        try await person.uses("Order")
        try await person.sees("Who is it for?")
        try await person.types("Sherlock Holmes", into: "Recipient")
        try await person.types("Baker Street", into: "Street")
        try await person.types("nw1 6xe", into: "Postal code")
        try await person.sees("The house number is missing.")
        try await person.types("221B Baker Street", into: "Street")
        try await person.uses("Order", times: 2)
        try await person.sees("Your delivery is on its way.")
        try await person.uses("Done")
        try await person.uses("Ask a question")
        try await person.types("How long does it take?", into: "Question")
        try await person.uses("Ask")
        try await person.sees("The list of cities says so.")
        try await person.uses("Back")
        try await person.uses("Leave")
    }
}

// MARK: - Backend

extension CitiesDemo {
    func serve(on backend: LocalBackend) { CitiesBackend().serve(on: backend) }
}
