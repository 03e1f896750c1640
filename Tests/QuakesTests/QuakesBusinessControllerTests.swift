import Feedback
import Fixtures
import Foundation
import LocalBackend
import Networking
import Persistence
import QuakesBackend
import Sync
import Testing

@testable import Quakes

struct QuakesBusinessControllerTests {
    @Test("A refresh writes the quakes of the feed, and counts the features that are left out")
    func refresh() async throws {
        try await withQuakes { quakes in
            let refresh = try await quakes.controller.refreshQuakes(.month).value()
            let feed = try quakes.feed()
            let kept = feed.quakes.filter { $0.magnitude > 0 }
            #expect(refresh.changes.inserted == kept)
            #expect(refresh.changes.updated.isEmpty && refresh.changes.deleted.isEmpty)
            #expect(refresh.leftOut == feed.skipped.count)
            #expect(try await quakes.controller.fetchQuakes().value() == QuakeCatalog(kept))
        }
    }

    @Test("The next refresh transfers nothing and writes nothing while the feed is unchanged")
    func unchanged() async throws {
        try await withQuakes { quakes in
            _ = try await quakes.controller.refreshQuakes(.month).value()
            let file = try quakes.fileContents()
            let refresh = try await quakes.controller.refreshQuakes(.month).value()
            #expect(refresh == QuakeRefresh())
            #expect(quakes.backend.requests.last?.headers["If-None-Match"]?.hasPrefix("\"month-") == true)
            #expect(try quakes.fileContents() == file)
        }
    }

    @Test("An unchanged feed from a server without ETags writes nothing either")
    func withoutVersions() async throws {
        try await withQuakes { quakes in
            let body = QuakeFeedGenerator(count: 100, end: .quakeFixture).feed()
            quakes.backend.get("/earthquakes/feed/v1.0/summary/all_hour.geojson") { _ in
                .data(body, contentType: "application/json")
            }
            #expect(try await quakes.controller.refreshQuakes(.hour).value().changes.inserted.count > 50)
            let file = try quakes.fileContents()
            #expect(try await quakes.controller.refreshQuakes(.hour).value().changes.isEmpty)
            #expect(try quakes.fileContents() == file)
        }
    }

    @Test(
        "A changed feed writes the difference, for a long feed as for a short one",
        arguments: [QuakePeriod.month, .day])
    func changed(period: QuakePeriod) async throws {
        try await withQuakes(count: 6_000) { quakes in
            _ = try await quakes.controller.refreshQuakes(.month).value()
            var catalog = try await quakes.controller.fetchQuakes().value()
            quakes.revision.modify { $0 = 20 }
            let refresh = try await quakes.controller.refreshQuakes(period).value()
            #expect(!refresh.changes.updated.isEmpty)
            #expect(!refresh.changes.deleted.isEmpty)
            catalog.apply(refresh.changes)
            #expect(try await quakes.controller.fetchQuakes().value() == catalog)
        }
    }

    @Test("Deleted quakes come back with the next refresh, although the feed is unchanged")
    func deletion() async throws {
        try await withQuakes { quakes in
            let all = try await quakes.controller.refreshQuakes(.month).value().changes.inserted
            let first = try #require(all.first)
            for try await _ in quakes.controller.deleteQuake(first.id).values {}
            #expect(try await quakes.controller.fetchQuakes().value() == QuakeCatalog(all.dropFirst()))
            #expect(try await quakes.controller.refreshQuakes(.month).value().changes.inserted == [first])

            for try await _ in quakes.controller.deleteAllQuakes().values {}
            let kept = try await quakes.controller.fetchQuakes().value()
            #expect(kept.isEmpty)
            #expect(try await quakes.controller.refreshQuakes(.month).value().changes.inserted.count == all.count)
        }
    }

    @Test("A server that fails leaves the database as it was")
    func failure() async throws {
        try await withQuakes { quakes in
            let all = try await quakes.controller.refreshQuakes(.month).value().changes.inserted
            quakes.backend.misbehave(.fail(rate: 1))
            let error = await failed(by: quakes.controller.refreshQuakes(.day))
            guard case .service(.status) = error else {
                Issue.record("Expected the server's failure, not \(String(describing: error))")
                return
            }
            #expect(try await quakes.controller.fetchQuakes().value().count == all.count)
        }
    }

    @Test("An error of the database is reported as such, and leaves the database as it was")
    func brokenDatabase() async throws {
        try await withQuakes(maximumSize: 60_000) { quakes in
            let error = await failed(by: quakes.controller.refreshQuakes(.month))
            guard case .store(.full) = error else {
                Issue.record("Expected a full database, not \(String(describing: error))")
                return
            }
            let kept = try await quakes.controller.fetchQuakes().value()
            #expect(kept.isEmpty)
            // The version of a feed is not kept either if its quakes were not.
            _ = try? await quakes.controller.refreshQuakes(.month).value()
            #expect(quakes.backend.requests.last?.headers["If-None-Match"] == nil)
        }
    }
}

/// The error that a producer fails with.
private func failed<Value>(by producer: SignalProducer<Value, DataError>) async -> DataError? {
    do throws(DataError) {
        _ = try await producer.value()
        return nil
    } catch {
        return error
    }
}
