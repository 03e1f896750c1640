import Networking

/// The resources of the feature.
enum DeparturesService {
    static func fetchDepartures() -> BackendResource<Void, [Departure], NoAuth> {
        BackendResource(
            path: .api(.core, "/v1/departures"), method: .GET,
            response: { data, _ in Parser.parse(data, key: "departures", strategy: .prune) })
    }
}
