import Foundation
import Networking

struct News: Decodable, Sendable {}
struct Price: Decodable, Sendable {}
struct Logger: Sendable { func warning(_ text: String) {} }
struct Keychain: Sendable {
    let user = ""
    func token(for name: String) throws -> String { some() }
}

enum NewsService {
    static func fetchFeed() -> BackendResource<Void, News, KongAuth> { some() }
}

enum PhotosService {
    static func addPhoto() -> BackendResource<Void, City, KongAuth> { some() }
}

enum PricesService {
    static func watchPrices() -> BackendResource<Void, Void, KongAuth> { some() }
}

func keep(_ news: News, _ version: ResourceVersion?) {}
func showEmptyState() {}
func offerRetry() {}
func renewToken() async throws -> String { some() }

var tokens: any CredentialProvider { some() }
var logger: Logger { some() }
var keychain: Keychain { some() }
var address: Address { some() }
var testingURL: URL { some() }
var version: ResourceVersion { some() }
var error: CoreError { some() }
var json: Data { some() }
var request: TransportRequest {
    get { some() }
    set {}
}
