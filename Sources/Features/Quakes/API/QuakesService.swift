import Networking

extension BackendEnvironment.Service {
    /// The server of the earthquake feeds: https://earthquake.usgs.gov, or one with the same paths.
    public static let earthquakes: Self = "earthquakes"
}

/// The resources of the quakes. They describe requests, and perform none.
enum QuakesService {
    static func fetchFeed(_ period: QuakePeriod) -> BackendResource<Void, QuakeFeed, NoAuth> {
        BackendResource(
            path: .api(.earthquakes, "/earthquakes/feed/v1.0/summary/all_\(period.rawValue).geojson"), method: .GET)
    }
}
