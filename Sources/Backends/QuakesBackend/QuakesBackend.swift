import Feedback
import Foundation
import LocalBackend

/// A server of earthquake feeds, under the same paths as the USGS service.
///
/// ```swift
/// let backend = LocalBackend()
/// QuakesBackend(QuakeFeedGenerator(count: 5_000, end: Date())).serve(on: backend)
/// ```
///
/// Each feed has an `ETag`; a client that has the feed already gets a 304.
public struct QuakesBackend: Sendable {
    /// The lengths of the feeds, by the names in their paths.
    private static let periods: [(name: String, length: Duration)] = [
        ("hour", .seconds(3_600)), ("day", .seconds(86_400)), ("week", .seconds(7 * 86_400)),
        ("month", .seconds(30 * 86_400)),
    ]

    /// A feed, whose body is made only for a client that does not have it.
    private struct Feed {
        var tag: String?
        let body: () -> Data
    }

    private let feed: @Sendable (_ period: String, _ length: Duration) -> Feed

    /// Serves generated feeds, with a new revision each minute.
    public init(_ generator: QuakeFeedGenerator, now: @escaping @Sendable () -> Date = { Date() }) {
        let start = now()
        self.init(generator, revision: { max(0, Int(now().timeIntervalSince(start) / 60)) })
    }

    /// Serves generated feeds.
    ///
    /// - Parameter revision: Returns the number of the revision to serve.
    public init(_ generator: QuakeFeedGenerator, revision: @escaping @Sendable () -> Int) {
        let kept = KeptFeeds()
        feed = { name, length in
            let revision = revision()
            return Feed(tag: "\"\(name)-\(generator.name)-\(revision)\"") {
                kept.feed(named: name, revision: revision) {
                    generator.feed(
                        title: "All Earthquakes, Past \(name.capitalized)", last: length, revision: revision)
                }
            }
        }
    }

    /// Serves one saved feed under all paths.
    public init(saved body: Data) {
        feed = { _, _ in Feed { body } }
    }

    public func serve(on backend: LocalBackend) {
        for (name, length) in Self.periods {
            backend.get("/earthquakes/feed/v1.0/summary/all_\(name).geojson") { [feed] request in
                let feed = feed(name, length)
                var response = LocalBackend.Response.data(Data(), contentType: "application/json; charset=utf-8")
                guard let tag = feed.tag else {
                    response.body = .data(feed.body())
                    return response.tagged(for: request)
                }
                response.headers["ETag"] = tag
                response = response.tagged(for: request)
                if response.status == 200 { response.body = .data(feed.body()) }
                return response
            }
        }
    }
}

/// The feeds of the latest revision, each made once.
private final class KeptFeeds: Sendable {
    private let kept = Locked<(revision: Int, bodies: [String: Data])>((0, [:]))

    func feed(named name: String, revision: Int, make: () -> Data) -> Data {
        kept.withLock { kept in
            if kept.revision != revision { kept = (revision, [:]) }
            if let body = kept.bodies[name] { return body }
            let body = make()
            kept.bodies[name] = body
            return body
        }
    }
}
