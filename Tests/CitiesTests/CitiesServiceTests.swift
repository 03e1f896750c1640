import Foundation
import Networking
import Testing

@testable import Cities

struct CitiesServiceTests {
    @Test("All ways to fetch cities ask for the same")
    func fetching() {
        let wrapped = CitiesService.fetchCitiesResource()
        #expect(wrapped.path == .api(.core, "/v1/cities"))
        #expect(wrapped.method == .GET)
        #expect(wrapped.query.isEmpty)
        #expect(wrapped.request == nil)

        let decoded = CitiesService.fetchCitiesWithDecoder()
        #expect(decoded.path == wrapped.path)
        #expect(decoded.method == wrapped.method)

        let list = CitiesService.fetchCityList()
        #expect(list.path == wrapped.path)
        #expect(list.method == wrapped.method)
    }

    @Test("A delivery is requested with the address as the body")
    func delivery() throws {
        let resource = CitiesService.requestDelivery()
        #expect(resource.path == .api(.core, "/v1/cities/delivery"))
        #expect(resource.method == .POST)
        #expect(try body(of: resource, CitiesExpectations.address) == CitiesExpectations.addressBody)
    }

    @Test("A wrapped delivery is requested with the address under its key")
    func wrappedDelivery() throws {
        let resource = CitiesService.requestWrappedDelivery()
        #expect(resource.path == .api(.core, "/v1/cities/delivery"))
        #expect(resource.method == .POST)
        #expect(
            try body(of: resource, CitiesExpectations.address) == ["address": CitiesExpectations.addressBody])
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
