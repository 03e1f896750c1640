import Foundation
import Networking
import Testing

@testable import Animals

struct AnimalsServiceTests {
    @Test("There is one resource, without credentials, whose body is the request")
    func resource() throws {
        let resource = AnimalsService.requestAnswer()
        #expect(resource.path == .api(.core, "/animals/api"))
        #expect(resource.method == .POST)
        #expect(resource.query.isEmpty)
        let handler = try #require(resource.request)
        let encoder = try #require(resource.encoder)
        for (name, request) in AnimalsExpectations.requests {
            #expect(try handler(request, encoder).get() == AnimalsExpectations.wire("\(name)-request"))
        }
    }
}
