import Animals
import Feedback
import Foundation
import LocalBackend
import Networking

/// The server of the animals: answers `POST /animals/api` from a store.
///
/// ```swift
/// let backend = LocalBackend()
/// AnimalsBackend(store: try LocalStore(.file(path))).serve(on: backend)
/// try await backend.start(port: AnimalsBackend.port)
/// ```
///
/// A request that it cannot read, or that names what it does not know, is refused with a 4xx and a ``RemoteFailure``, and
/// changes nothing.
public struct AnimalsBackend: Sendable {
    /// Where its clients expect it.
    public static let port = 8_080

    private let store: any AnimalsStore

    public init(store: any AnimalsStore) {
        self.store = store
    }

    public func serve(on backend: LocalBackend) {
        backend.post("/animals/api") { [store] request in
            do throws(AnimalsError) {
                let question: RemoteRequest = try Self.parse(request.body)
                guard let answer = try await store.answer(question).first() else { return .status(503) }
                return .json(answer)
            } catch {
                return Self.refusal(of: error)
            }
        }
    }

    private static func parse(_ body: Data) throws(AnimalsError) -> RemoteRequest {
        switch Parser.parse(body) as Result<RemoteRequest, CoreError> {
        case let .success(request): return request
        case let .failure(.parsing(failure)):
            let place = failure.path.isEmpty ? "" : " at \(failure.path)"
            throw .refused(status: 400, reason: "The request could not be read\(place): \(failure.reason)")
        case let .failure(error): throw .refused(status: 400, reason: "\(error)")
        }
    }

    private static func refusal(of error: AnimalsError) -> LocalBackend.Response {
        switch error {
        case let .unknownAnimal(id):
            .json(RemoteFailure(reason: "There is no animal \(id).", animalId: id), status: 404)
        case let .unknownCategory(id):
            .json(RemoteFailure(reason: "There is no category \(id).", categoryId: id), status: 422)
        case let .refused(status, reason): .json(RemoteFailure(reason: reason), status: status)
        default: .json(RemoteFailure(reason: "\(error)"), status: 500)
        }
    }
}
