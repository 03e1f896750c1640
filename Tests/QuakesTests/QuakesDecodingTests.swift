import Canned
import Fixtures
import Foundation
import Networking
import Testing

@testable import Quakes

struct QuakesDecodingTests {
    @Test("Times are milliseconds since 1970, a magnitude of null is zero, and a place of null is empty")
    func feed() async throws {
        #expect(try await fetch().quakes == QuakesExpectations.quakes)
    }

    @Test("Features that cannot be read as a quake are left out and reported with their coding paths")
    func skipped() async throws {
        let skipped = try await fetch().skipped
        #expect(skipped.map(\.index) == [3, 4, 5, 6, 7, 8, 9])
        #expect(
            skipped.map(\.path).prefix(3) == [
                "features[3].geometry.coordinates[1]", "features[4].geometry.coordinates",
                "features[5].properties.time",
            ])
    }

    @Test("If a feed has a quake several times, the one updated last counts; if equally late, the last one")
    func latest() {
        let old = Quake.fixture(magnitude: 1)
        let new = Quake.fixture(magnitude: 2, updated: old.updated + 1)
        let other = Quake.fixture(quakeId: "us2")
        #expect(QuakeFeed(quakes: [new, other, old]).quakes == [new, other])
        #expect(QuakeFeed(quakes: [old, other, new]).quakes == [new, other])
        let again = Quake.fixture(magnitude: 3)
        #expect(QuakeFeed(quakes: [old, again]).quakes == [again])
    }

    @Test("A body that is not a feed fails with a readable error", arguments: ["truncated", "no-list", "page"])
    func malformed(name: String) async throws {
        let error = await #expect(throws: CoreError.self) {
            try await fetch(QuakesExpectations.malformed(name))
        }
        #expect("\(try #require(error))".hasPrefix("The answer could not be read"))
    }

    @Test("A feature whose time is beyond all calendars is left out")
    func time() throws {
        let body = """
            {"features": [{"id": "a", "properties": {"mag": 1, "time": 1e300}, "geometry": {"coordinates": [1, 2]}}]}
            """
        let feed: QuakeFeed = try Parser.parse(Data(body.utf8)).get()
        #expect(feed.quakes.isEmpty)
        #expect(feed.skipped.count == 1)
    }

    private func fetch(_ folder: URL = QuakesExpectations.folder) async throws -> QuakeFeed {
        let url = try #require(URL(string: "https://quakes.example.com"))
        let session = BackendSession(
            environment: QuakesExpectations.environment(at: url), transport: try CannedBackend(folder))
        return try await session.access(QuakesService.fetchFeed(.hour))
    }
}

struct QuakesServiceTests {
    @Test("Each period has a feed of its own", arguments: QuakePeriod.allCases)
    func paths(period: QuakePeriod) {
        let resource = QuakesService.fetchFeed(period)
        #expect(resource.path == .api(.earthquakes, "/earthquakes/feed/v1.0/summary/all_\(period).geojson"))
        #expect(resource.method == .GET)
        #expect(resource.request == nil)
    }
}
