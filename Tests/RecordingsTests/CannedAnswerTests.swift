import FeedbackTesting
import Foundation
import Networking
import Testing

@testable import Canned

@Suite("The canned answer to a request")
struct CannedAnswerTests {
    private func request(
        _ target: String, _ method: HTTPMethod = .GET, relativeTo base: String = "https://api.example"
    ) throws -> TransportRequest {
        TransportRequest(method: method, url: try #require(URL(string: target, relativeTo: URL(string: base))))
    }

    /// Returns the text of the answer, or the reason why there is none.
    private func answer(of backend: CannedBackend, to request: TransportRequest) async -> String {
        do throws(CoreError) {
            return String(decoding: try await backend.send(request).body, as: UTF8.self)
        } catch {
            return switch error {
            case .request(let failure): failure.reason
            case .network(let failure) where failure.reason == .offline: "offline"
            default: "\(error)"
            }
        }
    }

    @Test("It has the method, the path and the whole query, in any order")
    func matching() async throws {
        let page = [URLQueryItem(name: "page", value: "2"), URLQueryItem(name: "sort", value: nil)]
        let backend = CannedBackend([
            CannedAnswer(.POST, "/cities", body: "added"), CannedAnswer(.GET, "/cities", body: "first"),
            CannedAnswer(.GET, "/cities", query: page, body: "second"),
        ])
        #expect(await answer(of: backend, to: try request("/cities", .POST)) == "added")
        #expect(await answer(of: backend, to: try request("/cities")) == "first")
        #expect(await answer(of: backend, to: try request("/cities?sort&page=2")) == "second")
        for (method, target) in [
            (.GET, "/cities?page=2"), (.GET, "/cities?page=3&sort"), (.GET, "/towns"), (.PUT, "/cities"),
        ] as [(HTTPMethod, String)] {
            let reason = await answer(of: backend, to: try request(target, method))
            #expect(reason.hasPrefix("Nothing answers \(method) \(target). "), "\(reason)")
        }
        #expect(backend.requests.count == 7)
    }

    @Test("If there is none, the most similar answers are named, and the query only if nothing else differs")
    func likeliest() async throws {
        let backend = CannedBackend([
            CannedAnswer(.POST, "/towns"), CannedAnswer(.POST, "/cities"),
            CannedAnswer(.GET, "/cities", query: [URLQueryItem(name: "page", value: "2")]),
        ])
        let list = "These are answered, the likeliest first:"
        let (page, post, towns) = (
            "\n  GET /cities?page=2 (code)", "\n  POST /cities (code)", "\n  POST /towns (code)"
        )
        #expect(
            await answer(of: backend, to: try request("/cities"))
                == "Nothing answers GET /cities. \(list)\(page)\(post)\(towns)\nThe request has \"query\":{}"
        )
        #expect(
            await answer(of: backend, to: try request("/towns", .PUT))
                == "Nothing answers PUT /towns. \(list)\(towns)\(post)\(page)")
        #expect(
            await answer(of: CannedBackend(), to: try request("/cities"))
                == "Nothing answers GET /cities. There are no canned answers at all.")
    }

    @Test("Without a network each request fails, and the answers wait; an answer that is taken back is given no more")
    func offlineAndOverrides() async throws {
        let backend = CannedBackend([CannedAnswer(.GET, "/a", body: "one"), CannedAnswer(.GET, "/a", body: "two")])
        backend.isOffline = true
        #expect(await answer(of: backend, to: try request("/a")) == "offline")
        backend.isOffline = false
        let busy = backend.answer(CannedAnswer(.GET, "/a", body: "busy"))
        let busier = backend.answer(CannedAnswer(.GET, "/a", body: "busier"))
        #expect(await answer(of: backend, to: try request("/a")) == "busier")
        busier.dispose()
        #expect(await answer(of: backend, to: try request("/a")) == "busy")
        busy.dispose()
        for text in ["one", "two", "two"] { #expect(await answer(of: backend, to: try request("/a")) == text) }
        #expect(backend.requests.count == 6)
    }

    @Test("A request whose address is relative has the whole path")
    func relative() async throws {
        let backend = CannedBackend([CannedAnswer(.GET, "/v1/cities", body: "London")])
        let relative = try request("cities", relativeTo: "https://api.example/v1/")
        #expect(await answer(of: backend, to: relative) == "London")
        #expect(backend.requests.map(\.path) == ["/v1/cities"])
    }

    @Test("A folder in which no answer can be written is told by its name")
    func unwritableFolder() async throws {
        // A file is there already.
        let folder = FileManager.default.temporaryDirectory.appending(path: "no folder \(UUID())")
        try Data().write(to: folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        let transport = StubTransport { request throws(CoreError) in
            try TransportResponse(status: 204, headers: [:], body: Data(), url: request.url)
        }.recording(to: folder)
        let request = try request("/cities")
        let error = await #expect(throws: CoreError.self) { try await transport.send(request) }
        guard case .network(let failure)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.reason == .cannotWriteFile && failure.url == folder.path(percentEncoded: false))
    }
}
