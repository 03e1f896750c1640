import CannedResponses
import FeedbackTesting
import Fixtures
import Networking
import Testing

@testable import Cities

/// Decoding of canned answers, good and bad.
struct CitiesDecodingTests {
    // MARK: - The three ways

    @Test("The wrapped response is decoded as it stands")
    func wrapped() async throws {
        let response = try await session().access(CitiesService.fetchCitiesResource())
        #expect(response == CitiesResponse(cities: CitiesExpectations.citiesWithoutMinutes))
    }

    @Test("The decoder reads also keys of more than one word")
    func decoder() async throws {
        let response = try await session().access(CitiesService.fetchCitiesWithDecoder())
        #expect(response == CitiesResponse(cities: CitiesExpectations.cities))
    }

    @Test("The list is found under its key")
    func keyed() async throws {
        let cities = try await session().access(CitiesService.fetchCityList())
        #expect(cities == CitiesExpectations.citiesWithoutMinutes)
    }

    @Test("Questions are a list without wrapping")
    func questions() async throws {
        let questions = try await session().access(CitiesService.obtainQuestions(query: "How long?"))
        #expect(questions == CitiesExpectations.questions)
    }

    // MARK: - Malformed

    @Test("Pruning leaves out what is no city, keeps the others in order, and tells which and where")
    func prune() async throws {
        let response = try await session("one-broken").access(CitiesService.fetchCitiesWithDecoder())
        #expect(response.cities == CitiesExpectations.cities)
        #expect(response.$cities.map(\.index) == [1, 3])
        #expect(response.$cities.first?.path == "cities[1].name")
        #expect(try await session("one-broken").access(cities(.prune)) == CitiesExpectations.citiesWithoutMinutes)
    }

    @Test("Strict decoding fails with the place of the first that is no city")
    func strict() async throws {
        let error = await #expect(throws: CoreError.self) { try await session("one-broken").access(cities(.strict)) }
        guard case let .parsing(failure) = error else {
            Issue.record("Expected a parsing failure, not \(String(describing: error))")
            return
        }
        #expect(failure.path == "cities[1].name")
    }

    @Test(
        "What is no list of cities fails whatever the strategy, and says so in a sentence",
        arguments: ["truncated", "other-key", "no-list", "page", "empty", "twice"], [Parser.Strategy.prune, .strict])
    func malformed(name: String, strategy: Parser.Strategy) async throws {
        let error = await #expect(throws: CoreError.self) { try await session(name).access(cities(strategy)) }
        guard case .parsing = error else {
            Issue.record("Expected a parsing failure, not \(String(describing: error))")
            return
        }
        #expect("\(try #require(error))".hasPrefix("The answer could not be read"))
    }

    // MARK: - Machinery

    private func session(_ malformed: String? = nil) throws -> BackendSession {
        try CannedBackend(malformed.map(CitiesExpectations.malformed) ?? CitiesExpectations.folder).session()
    }

    private func cities(_ strategy: Parser.Strategy) -> BackendResource<Void, [City], KongAuth> {
        BackendResource(
            path: .api(.core, "/v1/cities"), method: .GET,
            response: { data, _ in Parser.parse(data, key: "cities", strategy: strategy) })
    }
}
