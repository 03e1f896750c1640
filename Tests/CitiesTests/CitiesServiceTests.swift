import Foundation
import Networking
import Testing

@testable import Cities

struct CitiesServiceTests {
    @Test("Cities are fetched from one place")
    func fetching() {
        let resource = CitiesService.fetchCities()
        #expect(resource.path == .api(.core, "/v1/cities"))
        #expect(resource.method == .GET)
        #expect(resource.query.isEmpty)
        #expect(resource.request == nil)
    }

    @Test("A delivery is requested with the address as the body")
    func delivery() throws {
        let key = UUID()
        let resource = CitiesService.requestDelivery(key: key)
        #expect(resource.path == .api(.core, "/v1/cities/delivery"))
        #expect(resource.method == .POST)
        #expect(resource.headers == ["Idempotency-Key": key.uuidString])
        #expect(try body(of: resource, CitiesExpectations.address) == CitiesExpectations.addressBody)
    }

    @Test("Questions are obtained with the query as the body")
    func questions() throws {
        let resource = CitiesService.obtainQuestions(query: "How \"long\"?")
        #expect(resource.path == .api(.core, "/v1/questions"))
        #expect(resource.method == .POST)
        #expect(try body(of: resource, ()) == ["question_query": "How \"long\"?"])
    }

    private func body<Request, Response, Body: Decodable>(
        of resource: BackendResource<Request, Response, KongAuth>, _ value: Request
    ) throws -> Body {
        let handler = try #require(resource.request)
        return try JSONDecoder().decode(Body.self, from: handler(value, JSONEncoder()).get())
    }
}
