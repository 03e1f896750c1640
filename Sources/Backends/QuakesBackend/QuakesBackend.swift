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

    private let feed: @Sendable (_ period: String, _ length: Duration) -> (body: Data, tag: String?)

    /// Serves generated feeds, with a new revision each minute.
    public init(_ generator: QuakeFeedGenerator, now: @escaping @Sendable () -> Date = { Date() }) {
        let start = now()
        self.init(generator, revision: { max(0, Int(now().timeIntervalSince(start) / 60)) })
    }

    /// Serves generated feeds.
    ///
    /// - Parameter revision: Returns the number of the revision to serve.
    public init(_ generator: QuakeFeedGenerator, revision: @escaping @Sendable () -> Int) {
        feed = { name, length in
            let revision = revision()
            let body = generator.feed(
                title: "All Earthquakes, Past \(name.capitalized)", last: length, revision: revision)
            return (body, "\"\(name)-\(revision)\"")
        }
    }

    /// Serves one saved feed under all paths.
    public init(saved body: Data) {
        feed = { _, _ in (body, nil) }
    }

    public func serve(on backend: LocalBackend) {
        for (name, length) in Self.periods {
            backend.get("/earthquakes/feed/v1.0/summary/all_\(name).geojson") { [feed] request in
                let (body, tag) = feed(name, length)
                var response = LocalBackend.Response.data(body, contentType: "application/json; charset=utf-8")
                response.headers["ETag"] = tag
                return response.tagged(for: request)
            }
        }
    }
}
