/// What a store is asked, in the form that goes over the wire to a server: `{"query":[{"categories":{}}]}`.
///
/// The coding is Swift's own, so the names here are those on the wire.
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
}
