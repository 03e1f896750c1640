import Persistence

/// An animal in a category.
public struct Animal: Hashable, Codable, Sendable {
    public var animalId: String
    public var name: String
    public var diet: Diet
    public var categoryId: Category.ID

    /// The food of an animal.
    public enum Diet: String, Hashable, Codable, CaseIterable, Sendable {
        case herbivorous = "Herbivore"
        case carnivorous = "Carnivore"
        case omnivorous = "Omnivore"
    }

    public init(animalId: String, name: String, diet: Diet, categoryId: Category.ID) {
        self.animalId = animalId
        self.name = name
        self.diet = diet
        self.categoryId = categoryId
    }
}

extension Animal: Identifiable {
    public var id: String { animalId }
}

// MARK: - Storing

extension Animal.Diet: Primitive {}

extension Animal {
    /// The table of the animals.
    public static let schema = Schema<Animal>(
        "animals", Animal.init, Column("animal_id", \.animalId), Column("name", \.name), Column("diet", \.diet),
        Column("category_id", \.categoryId, isIndexed: true))
}
