/// What a store answers to a ``RemoteRequest``: one answer to each query and mutation, in their order.
///
/// The coding is Swift's own, so the names here are those on the wire.
public struct RemoteResponse: Hashable, Codable, Sendable {
    public var query: [Query]?
    public var mutation: [Mutation]?

    public enum Query: Hashable, Codable, Sendable {
        case animals(animals: [Animal])
        case categories(categories: [Category])
    }

    public enum Mutation: Hashable, Codable, Sendable {
        case addAnimal(animal: Animal)
        case updateAnimal(animal: Animal)
        /// The animal that is no more.
        case deleteAnimal(animal: Animal)
        case reloadSampleData(animals: [Animal], categories: [Category])
    }

    public init(query: [Query]? = nil, mutation: [Mutation]? = nil) {
        self.query = query
        self.mutation = mutation
    }
}

/// What our server answers to a request that it refuses, beside the status: why, and what it does not know.
public struct RemoteFailure: Hashable, Codable, Sendable {
    public var reason: String
    public var animalId: String?
    public var categoryId: String?

    public init(reason: String, animalId: String? = nil, categoryId: String? = nil) {
        self.reason = reason
        self.animalId = animalId
        self.categoryId = categoryId
    }
}
