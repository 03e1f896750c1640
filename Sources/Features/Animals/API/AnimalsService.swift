import Foundation
import Networking

/// The one resource of the animals' API.
enum AnimalsService {
    /// Sorts the keys, so that servers, logs and tests can compare bodies.
    static let jsonEncoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    /// - Parameter key: The same for each attempt to add one animal. The server adds it once.
    static func requestAnswer(key: UUID? = nil) -> BackendResource<RemoteRequest, RemoteResponse, NoAuth> {
        BackendResource(
            path: .api(.core, "/animals/api"), method: .POST,
            headers: key.map { ["Idempotency-Key": $0.uuidString] } ?? [:], encoder: jsonEncoder)
    }
}
