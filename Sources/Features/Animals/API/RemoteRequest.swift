/// The body of a request to the server: `{"query":[{"categories":{}}]}`.
///
/// The server answers the queries with the data before the mutations, and then performs the mutations: all, or none if
/// one of them fails. `Codable` is synthesised, so these names are the names in the JSON.
public struct RemoteRequest: Hashable, Codable, Sendable {
    public var query: [Query]?
    public var mutation: [Mutation]?

    public enum Query: Hashable, Codable, Sendable {
        case animals
        case categories
    }

    public enum Mutation: Hashable, Codable, Sendable {
        case addAnimal(name: String, diet: Animal.Diet, categoryId: String)
        case updateAnimal(animalId: String, name: String, diet: Animal.Diet, categoryId: String)
        case deleteAnimal(animalId: String)
        case reloadSampleData
    }

    public init(query: [Query]? = nil, mutation: [Mutation]? = nil) {
        self.query = query
        self.mutation = mutation
    }

    /// A request of one query.
    public init(query: Query) { self.init(query: [query]) }

    /// A request of one mutation.
    public init(mutation: Mutation) { self.init(mutation: [mutation]) }
}
