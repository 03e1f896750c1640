import Networking

extension BackendEnvironment.Service {
    /// The server of the feeds, https://earthquake.usgs.gov in production.
    public static let earthquakes: Self = "earthquakes"
}

/// The resources of the quakes. They describe requests, and perform none.
struct QuakesService {
    static func fetchFeed(_ period: QuakePeriod) -> BackendResource<Void, QuakeFeed, NoAuth> {
        BackendResource(
            path: .api(.earthquakes, "/earthquakes/feed/v1.0/summary/all_\(period.rawValue).geojson"), method: .GET)
    }
}
