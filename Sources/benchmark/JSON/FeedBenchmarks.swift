import Foundation
import JSON
import Quakes
import QuakesBackend
import Timeline

/// The rows on bodies that have the shape of a real service's, each against `JSONDecoder` on the feature's own types.
let feedBenchmarks: [Benchmark] = [
    Benchmark(
        "JSON: a feed of 2,000 earthquakes (GeoJSON)", per: "feed", operations: 1, goal: .ratio(0.22),
        baseline: ("JSONDecoder", { sink.add(try JSONDecoder().decode(QuakeFeed.self, from: feed).quakes.count) }),
        ours: { sink.add(try StrictJSONDecoder().decode(QuakeFeed.self, from: feed).quakes.count) }),
    timeline("JSON: a timeline of 40 statuses", timelinePages),
    timeline("JSON: the same, with all that servers send", ServerStatuses.pages()),
    timeline("JSON: the same of five servers, indented", ServerStatuses.pages(servers: 5, isIndented: true)),
]

private let feed = QuakeFeedGenerator(
    count: 2_000, end: Date(timeIntervalSinceReferenceDate: 814_474_800), malformedShare: 0
).feed()

private func timeline(_ name: String, _ pages: [Data]) -> Benchmark {
    Benchmark(
        name, per: "page", operations: pages.count, goal: .ratio(0.22),
        baseline: (
            "JSONDecoder",
            { for page in pages { sink.add(try JSONDecoder().decode([Status].self, from: page).count) } }
        ),
        ours: { for page in pages { sink.add(try StrictJSONDecoder().decode([Status].self, from: page).count) } })
}
