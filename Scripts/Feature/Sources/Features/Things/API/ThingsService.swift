import Networking

/// The resources of the feature.
struct ThingsService {
    static func fetchThings() -> BackendResource<Void, [Thing], KongAuth> {
        BackendResource(
            path: .api(.core, "/v1/things"), method: .GET,
            response: { data, _ in Parser.parse(data, key: "things", strategy: .prune) })
    }
}
