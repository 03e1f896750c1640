import Animals
import Feedback
import Foundation
import LocalBackend
import Networking

/// The server of the animals, which answers `POST /animals/api` from a local store. Several servers may share one
/// database.
///
/// ```swift
/// let backend = LocalBackend()
/// AnimalsBackend(store: try LocalStore(.file(path))).serve(on: backend)
/// try await backend.start(port: AnimalsBackend.port)
/// ```
///
/// If a request is unreadable or has an unknown id, it answers with a status of 4xx and a ``RemoteFailure``, and
/// changes nothing. Requests with the same header field `Idempotency-Key` add an animal only once.
public struct AnimalsBackend: Sendable {
    /// The port at which clients expect the server.
    public static let port = 8_080
    /// The greatest number of queries, and of mutations, in one request.
    public static let greatestCount = 100

    private let store: LocalStore

    public init(store: LocalStore) {
        self.store = store
    }

    public func serve(on backend: LocalBackend) {
        backend.post("/animals/api") { [store] request in
            do throws(AnimalsError) {
                let question: RemoteRequest = try Self.parse(request.body)
                guard question.query?.count ?? 0 <= Self.greatestCount,
                    question.mutation?.count ?? 0 <= Self.greatestCount
                else {
                    throw .refused(
                        status: 400,
                        reason:
                            "A request has \(Self.greatestCount) queries and \(Self.greatestCount) mutations at most.")
                }
                let key = request.headers["Idempotency-Key"]
                return .json(
                    try await store.transaction { (tables) throws(AnimalsError) in
                        try tables.answer(question, key: key)
                    })
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
        // The same request can be sent again.
        case .local(.unreachable), .local(.conflict), .local(.outcomeUnknown), .local(.locked):
            .json(RemoteFailure(reason: "\(error)"), status: 503)
        default: .json(RemoteFailure(reason: "\(error)"), status: 500)
        }
    }
}

extension AnimalsTables {
    /// Answers the queries, and then performs the mutations.
    ///
    /// - Parameter key: The key of the request, from which each mutation of the request gets its own key.
    fileprivate func answer(_ request: RemoteRequest, key: String?) throws(AnimalsError) -> RemoteResponse {
        var response = RemoteResponse()
        if let queries = request.query {
            let animals = queries.contains(.animals) ? try allAnimals() : []
            let categories = queries.contains(.categories) ? try allCategories() : []
            response.query = queries.map { query in
                switch query {
                case .animals: .animals(animals: animals)
                case .categories: .categories(categories: categories)
                }
            }
        }
        if let mutations = request.mutation {
            var answers: [RemoteResponse.Mutation] = []
            for (number, mutation) in mutations.enumerated() {
                answers.append(try carryOut(mutation, key: key.map { number == 0 ? $0 : "\($0)#\(number)" }))
            }
            response.mutation = answers
        }
        return response
    }

    private func carryOut(
        _ mutation: RemoteRequest.Mutation, key: String?
    ) throws(AnimalsError) -> RemoteResponse.Mutation {
        switch mutation {
        case let .addAnimal(name, diet, categoryId):
            let draft = AnimalDraft(name: name, diet: diet, categoryId: categoryId)
            return .addAnimal(animal: try add(draft, key: key))
        case let .updateAnimal(animalId, name, diet, categoryId):
            let animal = Animal(animalId: animalId, name: name, diet: diet, categoryId: categoryId)
            return .updateAnimal(animal: try update(animal))
        case let .deleteAnimal(animalId):
            return .deleteAnimal(animal: try delete(animalId))
        case .reloadSampleData:
            let data = try reloadSampleData()
            return .reloadSampleData(animals: data.animals, categories: data.categories)
        }
    }
}
