/// The answer to a ``RemoteRequest``, with an answer to each query and mutation, in their order.
///
/// `Codable` is synthesised, so these names are the names in the JSON.
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
        /// The animal as it was.
        case deleteAnimal(animal: Animal)
        case reloadSampleData(animals: [Animal], categories: [Category])
    }

    public init(query: [Query]? = nil, mutation: [Mutation]? = nil) {
        self.query = query
        self.mutation = mutation
    }

    /// The answer to one query.
    public init(query: Query) { self.init(query: [query]) }

    /// The answer to one mutation.
    public init(mutation: Mutation) { self.init(mutation: [mutation]) }
}

/// The body with which the server refuses a request: the reason, and the id that is unknown.
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
