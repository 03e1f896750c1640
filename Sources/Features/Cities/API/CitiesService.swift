import Foundation
import Networking

/// The resources of the cities. They describe requests, and perform none.
struct CitiesService {
    static let jsonDecoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }()

    // MARK: - Cities

    static func fetchCitiesResource() -> BackendResource<Void, CitiesResponse, KongAuth> {
        BackendResource(path: .api(.core, "/v1/cities"), method: .GET)
    }

    /// The same, with the keys of more than one word.
    static func fetchCitiesWithDecoder() -> BackendResource<Void, CitiesResponse, KongAuth> {
        BackendResource(path: .api(.core, "/v1/cities"), method: .GET, decoder: jsonDecoder)
    }

    /// The same without its wrapping.
    static func fetchCityList() -> BackendResource<Void, [City], KongAuth> {
        BackendResource(
            path: .api(.core, "/v1/cities"), method: .GET,
            response: { data, _ in Parser.parse(data, key: "cities", strategy: .prune) })
    }

    // MARK: - Delivery

    static func requestDelivery() -> BackendResource<Address, Void, KongAuth> {
        BackendResource(path: .api(.core, "/v1/cities/delivery"), method: .POST)
    }

    /// For servers that expect the address under a key.
    static func requestWrappedDelivery() -> BackendResource<Address, Void, KongAuth> {
        BackendResource(
            path: .api(.core, "/v1/cities/delivery"), method: .POST,
            request: { address, encoder in Parser.encode(["address": address], encoder: encoder) })
    }

    // MARK: - Questions

    static func obtainQuestions(query: String) -> BackendResource<Void, [Question], KongAuth> {
        BackendResource(
            path: .api(.core, "/v1/questions"), method: .POST,
            request: { _, encoder in Parser.encode(["question_query": query], encoder: encoder) })
    }
}
