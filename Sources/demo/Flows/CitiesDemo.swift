import Cities
import Foundation
import LocalBackend
import Presentation

/// Chooses a city, gets the address wrong, orders a delivery, asks a question.
struct CitiesDemo: DemoFlow {
    let feature = DemoFeature(name: "cities", summary: "choose a city, order a delivery, ask a question")

    func makeController(_ materials: DemoMaterials, on screens: ScreenStack) -> any FlowController {
        CitiesFlowController(CitiesBuilder(accessible: materials.session), on: screens)
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
    func serve(on backend: LocalBackend) {
        backend.get("/v1/cities") { _ in
            .data(Self.cities, contentType: "application/json")
        }
        backend.post("/v1/cities/delivery") { request in
            let address: Address
            if let wrapped = try? request.decode([String: Address].self), let inner = wrapped["address"] {
                address = inner
            } else {
                address = try request.decode()
            }
            guard !address.street.isEmpty else { throw LocalBackend.Refusal(422, "The address has no street.") }
            return .status(201)
        }
        backend.post("/v1/questions") { request in
            let query = try request.decode([String: String].self)["question_query"] ?? ""
            let words = Self.words(of: query)
            return .json(Self.questions.filter { !words.isDisjoint(with: Self.words(of: $0.question)) })
        }
    }

    private static func words(of text: String) -> Set<String> {
        Set(text.lowercased().split { !$0.isLetter }.map(String.init).filter { $0.count > 3 })
    }

    /// As servers are: with keys of more than one word, and with one city that is none.
    private static let cities = Data(
        """
        {
          "cities": [
            { "id": 1, "name": "London", "country": "GB", "population": 8866000, "delivery_minutes": 35 },
            { "id": 2, "name": "Zürich", "country": "CH", "population": 436332, "delivery_minutes": 25 },
            { "id": 3, "name": 17, "country": "??", "population": "many" },
            { "id": 4, "name": "東京", "country": "JP", "population": 14178000, "delivery_minutes": 50 },
            { "id": 5, "name": "São Paulo", "country": "BR", "population": 11451999 }
          ]
        }
        """.utf8)

    private static let questions = [
        Question(id: 1, question: "How long does a delivery take?", answer: "The list of cities says so."),
        Question(id: 2, question: "Do you deliver at night?", answer: "Only what does not ring the bell."),
    ]
}
