import Fixtures
import Foundation
import Networking
import Testing

@testable import Animals

struct AnimalsDecodingTests {
    @Test("Every request is on the wire byte for byte what other clients send", arguments: AnimalsExpectations.requests)
    func requests(name: String, request: RemoteRequest) throws {
        let data = try AnimalsExpectations.wire("\(name)-request")
        #expect(try text(AnimalsService.jsonEncoder.encode(request)) == text(data))
        #expect(try Parser.parse(data).get() == request)
    }

    @Test(
        "Every answer is on the wire byte for byte what other servers send", arguments: AnimalsExpectations.responses)
    func responses(name: String, response: RemoteResponse) throws {
        let data = try AnimalsExpectations.wire("\(name)-response")
        #expect(try text(AnimalsService.jsonEncoder.encode(response)) == text(data))
        #expect(try Parser.parse(data).get() == response)
    }

    @Test("Unknown keys in answers are ignored at every level")
    func unknownKeys() throws {
        let response: RemoteResponse = try Parser.parse(AnimalsExpectations.wire("unknown-keys-response")).get()
        #expect(response == AnimalsExpectations.launch)
    }

    @Test(
        "A body that is not an answer fails with a place and a sentence",
        arguments: [
            #"{"query":[{"animals":{"animals":[{"animalId":"1","name":"A","diet":"Fruit","categoryId":"B"}]}}]}"#,
            #"{"query":[{"plants":{}}]}"#, #"{"query":{}}"#, #"[]"#, "", #"{"query":[{"animals":{}}]}"#,
        ])
    func malformed(body: String) {
        let result: Result<RemoteResponse, CoreError> = Parser.parse(Data(body.utf8))
        guard case let .failure(.parsing(failure)) = result else {
            Issue.record("Expected a parsing failure, not \(result)")
            return
        }
        #expect(!failure.reason.isEmpty)
    }

    private func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }
}
