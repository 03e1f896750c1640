import Feedback
import Foundation
import Persistence

/// Keeps categories and animals in a SQLite database on this machine.
///
/// What has been answered is on the disk. Work is done on the thread that starts a producer; an
/// ``AnimalsBusinessController`` moves it elsewhere.
public struct LocalStore: AnimalsStore {
    private let categories: SQLiteStore<Category>
    private let animals: SQLiteStore<Animal>

    /// Opens the database. One without categories gets the sample data.
    public init(_ location: SQLiteDatabase.Location) throws(StoreError) {
        let database = try SQLiteDatabase(location)
        categories = try SQLiteStore(Category.schema, in: database)
        animals = try SQLiteStore(Animal.schema, in: database)
        let categories = categories
        let seeding = animals.transaction { animals throws(StoreError) in
            let tables = Tables(animals: animals, categories: try animals.with(categories))
            if try tables.categories.count(categories.all()) == 0 { try tables.replaceAll(by: .sample) }
        }
        if case let .failure(error) = seeding.single() { throw error }
    }

    public func answer(_ request: RemoteRequest) -> SignalProducer<RemoteResponse, AnimalsError> {
        SignalProducer { [categories, animals] observer, lifetime in
            // A transaction gives up with an error of the store's; what it was about is kept beside.
            let refusal = Locked<AnimalsError?>(nil)
            let answering = animals.transaction { transaction throws(StoreError) in
                let tables = Tables(animals: transaction, categories: try transaction.with(categories))
                do throws(AnimalsError) {
                    return try tables.answer(request, animals: animals.all(), categories: categories.all())
                } catch {
                    refusal.withLock { $0 = error }
                    if case let .local(error) = error { throw error }
                    throw .rolledBack(reason: "\(error)")
                }
            }
            lifetime += answering.mapError { error in refusal.withLock { $0 } ?? .local(error) }.start(observer)
        }
    }
}

/// Both tables, in one transaction.
private struct Tables {
    let animals: SQLiteTransaction<Animal>
    let categories: SQLiteTransaction<Category>

    func answer(
        _ request: RemoteRequest, animals all: Query<SQLiteStore<Animal>>,
        categories kinds: Query<SQLiteStore<Category>>
    ) throws(AnimalsError) -> RemoteResponse {
        var response = RemoteResponse()
        if let queries = request.query {
            var answers: [RemoteResponse.Query] = []
            for query in queries {
                switch query {
                case .animals:
                    answers.append(.animals(animals: try stored { () throws(StoreError) in try animals.execute(all) }))
                case .categories:
                    answers.append(
                        .categories(categories: try stored { () throws(StoreError) in try categories.execute(kinds) }))
                }
            }
            response.query = answers
        }
        if let mutations = request.mutation {
            var answers: [RemoteResponse.Mutation] = []
            for mutation in mutations { answers.append(try carryOut(mutation)) }
            response.mutation = answers
        }
        return response
    }

    private func carryOut(_ mutation: RemoteRequest.Mutation) throws(AnimalsError) -> RemoteResponse.Mutation {
        switch mutation {
        case let .addAnimal(name, diet, categoryId):
            let animal = Animal(animalId: UUID().uuidString, name: name, diet: diet, categoryId: categoryId)
            try requireCategory(categoryId)
            try stored { () throws(StoreError) in try animals.insert([animal]) }
            return .addAnimal(animal: animal)
        case let .updateAnimal(animalId, name, diet, categoryId):
            let animal = Animal(animalId: animalId, name: name, diet: diet, categoryId: categoryId)
            _ = try requireAnimal(animalId)
            try requireCategory(categoryId)
            try stored { () throws(StoreError) in try animals.update([animal]) }
            return .updateAnimal(animal: animal)
        case let .deleteAnimal(animalId):
            let animal = try requireAnimal(animalId)
            try stored { () throws(StoreError) in try animals.delete([animal]) }
            return .deleteAnimal(animal: animal)
        case .reloadSampleData:
            try stored { () throws(StoreError) in try replaceAll(by: .sample) }
            return .reloadSampleData(animals: AnimalsData.sample.animals, categories: AnimalsData.sample.categories)
        }
    }

    func replaceAll(by data: AnimalsData) throws(StoreError) {
        try animals.delete(where: .always)
        try categories.delete(where: .always)
        try categories.insert(data.categories)
        try animals.insert(data.animals)
    }

    private func requireAnimal(_ id: Animal.ID) throws(AnimalsError) -> Animal {
        guard let animal = try stored({ () throws(StoreError) in try animals.object(withId: id) }) else {
            throw .unknownAnimal(id)
        }
        return animal
    }

    private func requireCategory(_ id: Category.ID) throws(AnimalsError) {
        let category = try stored { () throws(StoreError) in try categories.object(withId: id) }
        if category == nil { throw .unknownCategory(id) }
    }

    private func stored<Value>(_ body: () throws(StoreError) -> Value) throws(AnimalsError) -> Value {
        do throws(StoreError) { return try body() } catch { throw .local(error) }
    }
}
