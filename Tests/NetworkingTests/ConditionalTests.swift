import Foundation
import LocalBackend
import Networking
import Testing

struct ConditionalTests {
    @Test("The first answer comes with its version, and the next one only if it has changed")
    func unchanged() async throws {
        try await withBackend { backend, session in
            let population = Box(1)
            backend.get("/city") { request in
                .json(City(id: 1, name: "London", population: population.value)).tagged(for: request)
            }
            let resource = BackendResource<Void, City, NoAuth>.get("/city")
            let first = try await session.access(resource.ifChanged(since: nil))
            guard case let .changed(city, version?) = first else {
                Issue.record("Expected the city and its version, not \(first)")
                return
            }
            #expect(city == City(id: 1, name: "London", population: 1))
            #expect(version.tag != nil)

            #expect(try await session.access(resource.ifChanged(since: version)) == .unchanged)
            #expect(backend.requests.last?.headers["If-None-Match"] == version.tag)

            population.value = 2
            guard case let .changed(grown, newVersion) = try await session.access(resource.ifChanged(since: version))
            else {
                Issue.record("Expected the changed city")
                return
            }
            #expect(grown.population == 2)
            #expect(newVersion != version)
        }
    }

    @Test("A server without tags is asked by the date of the last change")
    func lastModified() async throws {
        try await withBackend { backend, session in
            let date = "Sat, 21 Nov 2026 12:00:00 GMT"
            backend.get("/city") { request in
                if request.headers["If-Modified-Since"] == date { return .status(304) }
                return .json(City(id: 1, name: "London"), headers: ["Last-Modified": date])
            }
            let resource = BackendResource<Void, City, NoAuth>.get("/city")
            guard case let .changed(_, version) = try await session.access(resource.ifChanged(since: nil)) else {
                Issue.record("Expected the city")
                return
            }
            #expect(version == ResourceVersion(tag: nil, lastModified: date))
            #expect(try await session.access(resource.ifChanged(since: version)) == .unchanged)
        }
    }

    @Test("Without fields that identify it, an answer has no version")
    func noVersion() async throws {
        try await withBackend { backend, session in
            backend.get("/city") { _ in .json(City(id: 1, name: "London")) }
            let answer = try await session.access(
                BackendResource<Void, City, NoAuth>.get("/city").ifChanged(since: nil))
            #expect(answer == .changed(City(id: 1, name: "London"), nil))
            #expect(ResourceVersion(tag: nil, lastModified: nil) == nil)
        }
    }

    @Test("A 304 to a request that did not ask for it is a failure")
    func unasked() async throws {
        try await withBackend { backend, session in
            backend.get("/city") { _ in .status(304) }
            let error = await failure { () async throws(CoreError) in
                try await session.access(BackendResource<Void, City, NoAuth>.get("/city"))
            }
            guard case let .status(failure)? = error else {
                Issue.record("Expected a failure, not \(String(describing: error))")
                return
            }
            #expect(failure.code == 304)
        }
    }
}
