import Feedback
import Foundation
import Persistence

/// A store of categories and animals in a database that this program uses directly: a SQLite file, or tables on a
/// database server.
///
/// When a function returns, its change is stored. SQLite works on the scheduler.
public struct LocalStore: AnimalsStore {
    private let animals: any TransactionalStore<Animal>
    private let categories: any TransactionalStore<Category>
    private let additions: any TransactionalStore<Addition>
    private let scheduler: any Scheduler
    private let makeID: @Sendable () -> Animal.ID

    /// Opens a SQLite database. One without categories gets the sample data.
    ///
    /// - Parameters:
    ///   - scheduler: The scheduler on which the database is read and written.
    ///   - makeID: Makes the id of a new animal.
    public init(
        _ location: SQLiteDatabase.Location, scheduler: any Scheduler = QueueScheduler(name: "Animals.store"),
        makeID: @escaping @Sendable () -> Animal.ID = { UUID().uuidString }
    ) throws(StoreError) {
        let database = try SQLiteDatabase(location)
        try self.init(
            animals: SQLiteStore(Animal.schema, in: database), categories: SQLiteStore(Category.schema, in: database),
            additions: SQLiteStore(Addition.schema, in: database), scheduler: scheduler, makeID: makeID)
    }

    /// Uses three stores of one database. One without categories gets the sample data.
    ///
    /// - Parameters:
    ///   - scheduler: The scheduler on which transactions are started. Synchronous stores also do their work there.
    ///   - makeID: Makes the id of a new animal.
    public init(
        animals: some TransactionalStore<Animal>, categories: some TransactionalStore<Category>,
        additions: some TransactionalStore<Addition>,
        scheduler: any Scheduler = QueueScheduler(name: "Animals.store"),
        makeID: @escaping @Sendable () -> Animal.ID = { UUID().uuidString }
    ) throws(StoreError) {
        self.animals = animals
        self.categories = categories
        self.additions = additions
        self.scheduler = scheduler
        self.makeID = makeID
        let seeding = work { (tables) throws(StoreError) in
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

    /// Runs `body` as a transaction; none of its changes are kept if it throws.
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (AnimalsTables) throws(AnimalsError) -> Value
    ) async throws(AnimalsError) -> Value {
        // A transaction can only throw a `StoreError`, so the feature's own error is passed in this variable.
        let refusal = Locked<AnimalsError?>(nil)
        let work = work { (tables) throws(StoreError) in
            do throws(AnimalsError) {
                return try body(tables)
            } catch {
                if case let .local(error) = error { throw error }
                refusal.withLock { $0 = error }
                throw .rolledBack(reason: "\(error)")
            }
        }
        do throws(StoreError) {
            return try await work.start(on: scheduler).value()
        } catch {
            // The body may have run several times, so the refusal may be of an earlier run.
            if case .rolledBack = error, let refusal = refusal.withLock({ $0 }) { throw refusal }
            throw .local(error)
        }
    }

    private func work<Value: Sendable>(
        _ body: @escaping @Sendable (AnimalsTables) throws(StoreError) -> Value
    ) -> SignalProducer<Value, StoreError> {
        begin(in: animals, categories, additions, body)
    }

    private func begin<Value: Sendable>(
        in animals: some TransactionalStore<Animal>, _ categories: some TransactionalStore<Category>,
        _ additions: some TransactionalStore<Addition>,
        _ body: @escaping @Sendable (AnimalsTables) throws(StoreError) -> Value
    ) -> SignalProducer<Value, StoreError> {
        animals.transaction { [makeID] transaction throws(StoreError) in
            try body(
                AnimalsTables(
                    transaction, of: animals, categories: categories, additions: additions, makeID: makeID))
        }
    }
}
