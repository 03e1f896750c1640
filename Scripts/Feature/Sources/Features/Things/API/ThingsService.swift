import Networking

/// The resources of the feature.
struct ThingsService {
    static func fetchThings() -> BackendResource<Void, ThingsResponse, KongAuth> {
        BackendResource(path: .api(.core, "/v1/things"), method: .GET)
    }
}
