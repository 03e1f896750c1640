import Foundation
import Networking

/// The resources of the cities.
enum CitiesService {
    /// Reads keys of several words, such as `delivery_minutes`.
    static let jsonDecoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }()

    static func fetchCities() -> BackendResource<Void, CitiesResponse, KongAuth> {
        BackendResource(path: .api(.core, "/v1/cities"), method: .GET, decoder: jsonDecoder)
    }

    /// - Parameter key: The same for each attempt to order one delivery.
    static func requestDelivery(key: UUID) -> BackendResource<Address, Void, KongAuth> {
        BackendResource(
            path: .api(.core, "/v1/cities/delivery"), method: .POST, headers: ["Idempotency-Key": key.uuidString])
    }

    static func obtainQuestions(query: String) -> BackendResource<Void, [Question], KongAuth> {
        BackendResource(
            path: .api(.core, "/v1/questions"), method: .POST,
            request: { _, encoder in Parser.encode(["question_query": query], encoder: encoder) })
    }
}
