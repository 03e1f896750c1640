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
    Benchmark(
        "JSON: a timeline of 40 statuses", per: "page", operations: timelinePages.count, goal: .ratio(0.22),
        baseline: (
            "JSONDecoder",
            { for page in timelinePages { sink.add(try JSONDecoder().decode([Status].self, from: page).count) } }
        ),
        ours: {
            for page in timelinePages { sink.add(try StrictJSONDecoder().decode([Status].self, from: page).count) }
        }),
]

private let feed = QuakeFeedGenerator(
    count: 2_000, end: Date(timeIntervalSinceReferenceDate: 814_474_800), malformedShare: 0
).feed()
