import Feedback
import Foundation
import Persistence

/// Keeps categories and animals in a SQLite database on this machine.
///
/// Changes are on the disk when a function returns. The work is done on a thread of its own.
public struct LocalStore: AnimalsStore {
    private let categories: SQLiteStore<Category>
    private let animals: SQLiteStore<Animal>
    private let additions: SQLiteStore<Addition>
    private let scheduler: any Scheduler
    private let makeID: @Sendable () -> Animal.ID

    /// Opens the database. One without categories gets the sample data.
    ///
    /// - Parameters:
    ///   - scheduler: Where the database is read and written.
    ///   - makeID: Makes the id of a new animal.
    public init(
        _ location: SQLiteDatabase.Location, scheduler: any Scheduler = QueueScheduler(name: "Animals.store"),
        makeID: @escaping @Sendable () -> Animal.ID = { UUID().uuidString }
    ) throws(StoreError) {
        let database = try SQLiteDatabase(location)
        categories = try SQLiteStore(Category.schema, in: database)
        animals = try SQLiteStore(Animal.schema, in: database)
        additions = try SQLiteStore(Addition.schema, in: database)
        self.scheduler = scheduler
        self.makeID = makeID
        let (categories, additions) = (categories, additions)
        let seeding: SignalProducer<Void, StoreError> = animals.transaction {
            [animals] transaction throws(StoreError) in
            let tables = try AnimalsTables(
                animals: (animals, transaction), categories: categories, additions: additions, makeID: makeID)
            if try tables.isEmpty() { try tables.replaceAll(by: .sample) }
        }
        if case let .failure(error) = seeding.single() { throw error }
    }

    // MARK: - AnimalsStore

    public func fetchCategories() async throws(AnimalsError) -> [Category] {
        try await transaction { (tables) throws(AnimalsError) in try tables.allCategories() }
    }

    public func fetchAnimals() async throws(AnimalsError) -> [Animal] {
        try await transaction { (tables) throws(AnimalsError) in try tables.allAnimals() }
    }

    public func fetchData() async throws(AnimalsError) -> AnimalsData {
        try await transaction { (tables) throws(AnimalsError) in
            AnimalsData(categories: try tables.allCategories(), animals: try tables.allAnimals())
        }
    }

    public func addAnimal(_ draft: AnimalDraft, key: UUID) async throws(AnimalsError) -> Animal {
        try await transaction { (tables) throws(AnimalsError) in try tables.add(draft, key: key.uuidString) }
    }

    public func updateAnimal(_ animal: Animal) async throws(AnimalsError) -> Animal {
        try await transaction { (tables) throws(AnimalsError) in try tables.update(animal) }
    }

    public func deleteAnimal(_ id: Animal.ID) async throws(AnimalsError) -> Animal {
        try await transaction { (tables) throws(AnimalsError) in try tables.delete(id) }
    }

    public func reloadSampleData() async throws(AnimalsError) -> AnimalsData {
        try await transaction { (tables) throws(AnimalsError) in try tables.reloadSampleData() }
    }

    // MARK: - Transactions

    /// Does all that `body` does, or nothing if it throws.
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (AnimalsTables) throws(AnimalsError) -> Value
    ) async throws(AnimalsError) -> Value {
        // A transaction gives up with an error of the store's, so ours is kept beside it.
        let refusal = Locked<AnimalsError?>(nil)
        let work: SignalProducer<Value, StoreError> = animals.transaction { transaction throws(StoreError) in
            let tables = try AnimalsTables(
                animals: (animals, transaction), categories: categories, additions: additions, makeID: makeID)
            do throws(AnimalsError) {
                return try body(tables)
            } catch {
                refusal.withLock { $0 = error }
                if case let .local(error) = error { throw error }
                throw .rolledBack(reason: "\(error)")
            }
        }
        do throws(StoreError) {
            return try await work.start(on: scheduler).value()
        } catch {
            throw refusal.withLock { $0 } ?? .local(error)
        }
    }
}
