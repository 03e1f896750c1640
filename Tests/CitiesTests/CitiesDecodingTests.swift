import CannedResponses
import FeedbackTesting
import Fixtures
import Foundation
import Networking
import Testing

@testable import Cities

/// Decoding of canned answers, good and bad.
struct CitiesDecodingTests {
    @Test("Cities are read with keys of one word and of several")
    func cities() async throws {
        let response = try await session().access(CitiesService.fetchCities())
        #expect(response == CitiesResponse(cities: CitiesExpectations.cities))
    }

    @Test("A name is enough for a city")
    func smallest() async throws {
        let backend = CannedBackend([CannedAnswer(.GET, "/v1/cities", body: #"{"cities":[{"name":"London"}]}"#)])
        let response = try await backend.session().access(CitiesService.fetchCities())
        #expect(response == CitiesResponse(cities: [City(name: "London")]))
        #expect(response.cities.first?.id == .name("London", country: nil))
    }

    // MARK: - Other ways to declare the same resource

    @Test("A resource without a decoder of its own reads keys as they are")
    func withoutDecoder() async throws {
        let resource = BackendResource<Void, CitiesResponse, KongAuth>(path: .api(.core, "/v1/cities"), method: .GET)
        let response = try await session().access(resource)
        #expect(response == CitiesResponse(cities: CitiesExpectations.citiesWithoutMinutes))
    }

    @Test("A resource that reads its answer itself finds the list under its key")
    func keyed() async throws {
        #expect(try await session().access(cities(.strict)) == CitiesExpectations.citiesWithoutMinutes)
    }

    @Test("A resource that writes its body itself sends the address under a key")
    func wrappedDelivery() throws {
        let resource = BackendResource<Address, Void, KongAuth>(
            path: .api(.core, "/v1/cities/delivery"), method: .POST,
            request: { address, encoder in Parser.encode(["address": address], encoder: encoder) })
        let handler = try #require(resource.request)
        let body = try handler(CitiesExpectations.address, JSONEncoder()).get()
        #expect(
            try JSONDecoder().decode([String: [String: String]].self, from: body)
                == ["address": CitiesExpectations.addressBody])
    }

    @Test("Questions are a list without wrapping")
    func questions() async throws {
        let questions = try await session().access(CitiesService.obtainQuestions(query: "How long?"))
        #expect(questions == CitiesExpectations.questions)
    }

    // MARK: - Malformed

    @Test("Pruning leaves out elements that are not cities, keeps the others in order, and reports which and where")
    func prune() async throws {
        let response = try await session("one-broken").access(CitiesService.fetchCities())
        #expect(response.cities == CitiesExpectations.cities)
        #expect(response.$cities.map(\.index) == [1, 3])
        #expect(response.$cities.first?.path == "cities[1].name")
        #expect(try await session("one-broken").access(cities(.prune)) == CitiesExpectations.citiesWithoutMinutes)
    }

    @Test("Strict decoding fails with the place of the first element that is not a city")
    func strict() async throws {
        let error = await #expect(throws: CoreError.self) { try await session("one-broken").access(cities(.strict)) }
        guard case let .parsing(failure) = error else {
            Issue.record("Expected a parsing failure, not \(String(describing: error))")
            return
        }
        #expect(failure.path == "cities[1].name")
    }

    @Test(
        "A body that is not a list of cities fails with either strategy, and the error is a sentence",
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
