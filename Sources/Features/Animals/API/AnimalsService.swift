import Foundation
import Networking

/// The one resource of the animals' API.
struct AnimalsService {
    /// Writes what a server, a log and a test can compare: keys in the order of the alphabet.
    static let jsonEncoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    static func requestAnswer() -> BackendResource<RemoteRequest, RemoteResponse, NoAuth> {
        BackendResource(path: .api(.core, "/animals/api"), method: .POST, encoder: jsonEncoder)
    }
}
