import Networking

/// The resources of the feature.
enum DeparturesService {
    static func fetchDepartures() -> BackendResource<Void, DeparturesResponse, NoAuth> {
        BackendResource(path: .api(.core, "/v1/departures"), method: .GET)
    }
}
