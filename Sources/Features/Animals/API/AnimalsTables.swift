import Foundation
import Persistence

/// The tables of a ``LocalStore`` in a transaction. They cannot be used after its end.
public struct AnimalsTables {
    private let animals: any StoreTransaction<AnyStore<Animal>>
    private let categories: any StoreTransaction<AnyStore<Category>>
    private let additions: any StoreTransaction<AnyStore<Addition>>
    private let everyAnimal: Query<AnyStore<Animal>>
    private let everyCategory: Query<AnyStore<Category>>

    private let makeID: @Sendable () -> Animal.ID

    init<Animals: TransactionalStore<Animal>>(
        _ transaction: Animals.Transaction, of animals: Animals, categories: some TransactionalStore<Category>,
        additions: some TransactionalStore<Addition>, makeID: @escaping @Sendable () -> Animal.ID
    ) throws(StoreError) {
        self.animals = AnyTransaction(transaction, of: animals)
        self.categories = AnyTransaction(try transaction.with(categories), of: categories)
        self.additions = AnyTransaction(try transaction.with(additions), of: additions)
        everyAnimal = AnyStore(animals).all()
        everyCategory = AnyStore(categories).all()
        self.makeID = makeID
    }

    // MARK: - Reading

    public func allCategories() throws(AnimalsError) -> [Category] {
        try stored { () throws(StoreError) in try categories.execute(everyCategory) }
    }

    public func allAnimals() throws(AnimalsError) -> [Animal] {
        try stored { () throws(StoreError) in try animals.execute(everyAnimal) }
    }

    // MARK: - Changing

    /// Adds an animal, and returns it with its id.
    ///
    /// - Parameter key: The same for each attempt to add one animal, or nil to add one in any case. If the key was used
    ///   before, its animal is returned, with the values of the new draft.
    public func add(_ draft: AnimalDraft, key: String?) throws(AnimalsError) -> Animal {
        try check(name: draft.name)
        try require(category: draft.categoryId)
        guard let key else {
            let animal = draft.animal(withId: makeID())
            try stored { () throws(StoreError) in try animals.insert([animal]) }
            return animal
        }
        let known = try stored { () throws(StoreError) in try additions.object(withId: key) }
        if let known, known.draft == draft { return try require(animal: known.animalId) }
        let animal = draft.animal(withId: known?.animalId ?? makeID())
        if known != nil { _ = try require(animal: animal.id) }
        try stored { () throws(StoreError) in
            try animals.upsert([animal])
            try additions.upsert([Addition(id: key, animal: animal)])
            try additions.delete(where: \.time < .now - Addition.lifetime)
        }
        return animal
    }

    public func update(_ animal: Animal) throws(AnimalsError) -> Animal {
        try check(name: animal.name)
        _ = try require(animal: animal.id)
        try require(category: animal.categoryId)
        try stored { () throws(StoreError) in try animals.update([animal]) }
        return animal
    }

    /// Deletes an animal, and returns it as it was.
    public func delete(_ id: Animal.ID) throws(AnimalsError) -> Animal {
        let animal = try require(animal: id)
        try stored { () throws(StoreError) in try animals.delete([animal]) }
        return animal
    }

    public func reloadSampleData() throws(AnimalsError) -> AnimalsData {
        try stored { () throws(StoreError) in try replaceAll(by: .sample) }
        return .sample
    }

    func replaceAll(by data: AnimalsData) throws(StoreError) {
        try animals.delete(where: .always)
        try categories.delete(where: .always)
        try categories.insert(data.categories)
        try animals.insert(data.animals)
    }

    func isEmpty() throws(StoreError) -> Bool { try categories.count(everyCategory) == 0 }

    // MARK: - Machinery

    private func check(name: String) throws(AnimalsError) {
        if let problem = AnimalDraft.problem(inName: name) { throw .refused(status: 422, reason: problem) }
    }

    private func require(animal id: Animal.ID) throws(AnimalsError) -> Animal {
        guard let animal = try stored({ () throws(StoreError) in try animals.object(withId: id) }) else {
            throw .unknownAnimal(id)
        }
        return animal
    }

    private func require(category id: Category.ID) throws(AnimalsError) {
        let category = try stored { () throws(StoreError) in try categories.object(withId: id) }
        if category == nil { throw .unknownCategory(id) }
    }

    private func stored<Value>(_ body: () throws(StoreError) -> Value) throws(AnimalsError) -> Value {
        do throws(StoreError) { return try body() } catch { throw .local(error) }
    }
}

/// A record of an animal that was added with a key, by which a repeated addition is recognised. It is kept for a week.
public struct Addition: Identifiable, Sendable {
    /// The key.
    public let id: String
    /// The animal that was added.
    public let animalId: Animal.ID
    let name: String
    let diet: Animal.Diet
    let categoryId: Category.ID
    /// The time of the last addition with the key.
    let time: Date

    /// The time in seconds after which a record is deleted.
    static let lifetime: TimeInterval = 7 * 86_400

    var draft: AnimalDraft { AnimalDraft(name: name, diet: diet, categoryId: categoryId) }

    /// The table of the additions.
    public static let schema = Schema<Addition>(
        "recent_additions", { Addition(id: $0, animalId: $1, name: $2, diet: $3, categoryId: $4, time: $5) },
        Column("key", \.id), Column("animal_id", \.animalId), Column("name", \.name), Column("diet", \.diet),
        Column("category_id", \.categoryId), Column("time", \.time, isIndexed: true))
}

extension Addition {
    init(id: String, animal: Animal, time: Date = .now) {
        self.init(
            id: id, animalId: animal.animalId, name: animal.name, diet: animal.diet, categoryId: animal.categoryId,
            time: time)
    }
}
