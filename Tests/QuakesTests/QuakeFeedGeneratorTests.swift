import Foundation
import LocalBackend
import Networking
import QuakesBackend
import Testing

@testable import Quakes

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct QuakeFeedGeneratorTests {
    private static let end = QuakesExpectations.date("2026-11-21T12:00:00Z")
    private let generator = QuakeFeedGenerator(count: 4_000, end: end)

    @Test("The same seed gives the same feed, another one another")
    func seeded() {
        #expect(generator.feed() == QuakeFeedGenerator(count: 4_000, end: Self.end).feed())
        #expect(generator.feed() != QuakeFeedGenerator(seed: 2, count: 4_000, end: Self.end).feed())
    }

    @Test("A feed has the irregularities of real feeds")
    func realistic() throws {
        let feed = try parse(generator.feed())
        #expect(3_980..<4_000 ~= feed.quakes.count)
        #expect(1...20 ~= feed.skipped.count)
        #expect(feed.quakes.contains { $0.magnitude == 0 && !$0.name.isEmpty })
        #expect(feed.quakes.contains { $0.magnitude < 0 })
        #expect(feed.quakes.contains { $0.magnitude > 6 })
        #expect(feed.quakes.contains { $0.name.isEmpty })
        #expect(feed.quakes.contains { $0.name.contains("San José") })
        #expect(feed.quakes.contains { $0.longitude > 170 })
        #expect(feed.quakes.contains { $0.longitude < -170 })
        #expect(feed.quakes == feed.quakes.sorted { $0.time > $1.time })
    }

    @Test("A shorter feed is the part of the longest one that is not older")
    func periods() throws {
        let all = try parse(generator.feed()).quakes
        let day = try parse(generator.feed(last: .seconds(86_400))).quakes
        #expect(day == all.filter { $0.time >= Self.end - 86_400 })
        #expect(100..<180 ~= day.count)
    }

    @Test("A shorter feed is a part of the longest one also after many revisions, which change the quakes they added")
    func laterPeriods() throws {
        let generator = QuakeFeedGenerator(count: 50, end: Self.end, revisedShare: 0.1)
        let all = try parse(generator.feed(revision: 90)).quakes
        let hour = try parse(generator.feed(last: .seconds(3_600), revision: 90)).quakes
        #expect(hour == all.filter { $0.time >= Self.end + 90 * 60 - 3_600 })
        #expect(55...61 ~= hour.count)
        let before = try parse(generator.feed(revision: 89)).quakes
        let known = Set(before.filter { $0.time > Self.end }.map(\.id))
        #expect(all.contains { quake in known.contains(quake.id) && !before.contains(quake) })
    }

    @Test("Feeds of different generators have different tags, so that a client of an earlier server gets the new feed")
    func tags() async throws {
        var tags: Set<String> = []
        for (seed, end) in [(1, Self.end), (1, Self.end + 1), (2, Self.end), (1, Self.end)] as [(UInt64, Date)] {
            let backend = LocalBackend()
            QuakesBackend(QuakeFeedGenerator(seed: seed, count: 5, end: end), revision: { 3 }).serve(on: backend)
            let url = try await backend.start().appending(path: "earthquakes/feed/v1.0/summary/all_day.geojson")
            let (_, answer) = try await URLSession.shared.data(from: url)
            tags.insert(try #require((answer as? HTTPURLResponse)?.value(forHTTPHeaderField: "ETag")))
            await backend.stop(within: .zero)
        }
        #expect(tags.count == 3)
    }

    @Test("A revision changes about one quake in a hundred, takes some back, and adds one")
    func revisions() throws {
        let first = try parse(generator.feed()).quakes
        let second = try parse(generator.feed(revision: 1)).quakes
        let stored = Dictionary(uniqueKeysWithValues: first.filter { $0.magnitude > 0 }.map { ($0.id, $0) })
        let changes = QuakeChanges(from: second, stored: { stored[$0] })
        #expect(20...60 ~= changes.updated.count)
        #expect(1...15 ~= changes.deleted.count)
        #expect(0...5 ~= changes.inserted.count)
        #expect(second.count >= first.count)
    }

    private func parse(_ feed: Data) throws -> QuakeFeed { try Parser.parse(feed).get() }
}
