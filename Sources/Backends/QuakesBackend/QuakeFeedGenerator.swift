import Foundation
import LocalBackend

/// A generator of earthquake feeds that look like those of a real service: thousands of features along the edges of the
/// tectonic plates, most of them small, with nulls, negative magnitudes, updates, and a few malformed features.
///
/// The same seed gives the same feeds. Each revision changes some of the quakes and adds one.
public struct QuakeFeedGenerator: Sendable {
    private let seed: UInt64
    private let end: Date
    private let span: TimeInterval
    private let count: Int
    private let revisedShare: Double
    private let malformedShare: Double

    /// - Parameters:
    ///   - count: The number of features of the longest feed in its first revision.
    ///   - span: The time that the longest feed reaches back; by default 30 days.
    ///   - end: The time of the newest quake of the first revision.
    ///   - revisedShare: The share of the quakes that each revision changes.
    ///   - malformedShare: The share of malformed features.
    public init(
        seed: UInt64 = 1, count: Int, span: Duration = .seconds(30 * 86_400), end: Date, revisedShare: Double = 0.01,
        malformedShare: Double = 0.002
    ) {
        self.seed = seed
        self.count = count
        self.span = TimeInterval(span.components.seconds)
        self.end = end
        self.revisedShare = revisedShare
        self.malformedShare = malformedShare
    }

    /// A name that no generator of other feeds has.
    var name: String {
        "\(seed)-\(count)-\(Int(span))-\(end.timeIntervalSinceReferenceDate)-\(revisedShare)-\(malformedShare)"
    }

    /// Returns a feed as GeoJSON, the newest quake first.
    ///
    /// - Parameters:
    ///   - title: The title in the feed's metadata.
    ///   - duration: The time that the feed reaches back from its end; `nil` for all quakes.
    ///   - revision: The number of the revision, from 0 on. Each is a minute later than the one before.
    public func feed(title: String = "All Earthquakes", last duration: Duration? = nil, revision: Int = 0) -> Data {
        let now = end + Double(revision) * 60
        let start = duration.map { now - TimeInterval($0.components.seconds) } ?? .distantPast
        var features: [String] = []
        for index in (0..<count + revision).reversed() {
            // Those before are older still.
            guard latestTime(at: index) >= start else { break }
            let feature = feature(index, revision: revision)
            if feature.time >= start { features.append(feature.json) }
        }
        let metadata = """
            {"generated":\(now.milliseconds),"title":"\(title)","status":200,"api":"1.10.3","count":\(features.count)}
            """
        let text = features.joined(separator: ",\n")
        return Data(
            """
            {"type":"FeatureCollection","metadata":\(metadata),"features":[\(text)],\
            "bbox":[-180,-90,-3,180,90,650]}
            """.utf8)
    }

    // MARK: - Features

    /// The quake with an index in the order of time, as a revision describes it.
    private func feature(_ index: Int, revision: Int) -> QuakeFeature {
        var numbers = SeededNumbers(seed: seed, stream: UInt64(index))
        // Each quake is at a random place in its own share of the time, so the distances differ.
        let jitter = index < count ? numbers.fraction() * span / Double(max(1, count)) : 0
        let time = latestTime(at: index) - jitter
        let zone = numbers.element(of: SeismicZone.all)
        var feature = QuakeFeature(
            id: "\(zone.network)\(String(700_000 + index, radix: 36))", network: zone.network, time: time,
            updated: time + 300 + numbers.fraction() * 3_600, magnitude: zone.magnitude(&numbers),
            place: zone.place(&numbers), longitude: zone.longitude(&numbers), latitude: zone.latitude(&numbers),
            depth: numbers.fraction() * numbers.fraction() * 600)
        if numbers.fraction() < 0.002 { feature.magnitude = nil }
        if numbers.fraction() < 0.003 { feature.place = nil }
        if numbers.fraction() < malformedShare { feature.defect = numbers.element(of: QuakeFeature.Defect.allCases) }
        // No revision before a quake knows of it.
        let first = max(1, index - count + 1)
        if first <= revision {
            for revision in first...revision { revise(&feature, revision: revision, index: index) }
        }
        return feature
    }

    /// The latest time that the quake with an index can have.
    private func latestTime(at index: Int) -> Date {
        guard index < count else { return end + Double(index - count + 1) * 60 }
        return end - Double(count - 1 - index) / Double(max(1, count)) * span
    }

    private func revise(_ feature: inout QuakeFeature, revision: Int, index: Int) {
        let written = end + Double(revision) * 60
        var numbers = SeededNumbers(seed: seed &+ UInt64(revision) &* 0x9E37, stream: UInt64(index))
        guard feature.time < written, numbers.fraction() < revisedShare else { return }
        feature.updated = max(feature.updated + 1, written)
        // A few turn out not to be quakes.
        if numbers.fraction() < 0.1 {
            feature.magnitude = -abs(feature.magnitude ?? 0) - 0.1
        } else {
            feature.magnitude = (feature.magnitude ?? 1) + numbers.fraction() - 0.5
        }
    }
}
