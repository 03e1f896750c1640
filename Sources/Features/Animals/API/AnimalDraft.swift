/// An animal that is not stored yet. The store that adds it gives it an id.
public struct AnimalDraft: Hashable, Sendable {
    public var name: String
    public var diet: Animal.Diet
    public var categoryId: Category.ID

    public init(name: String, diet: Animal.Diet, categoryId: Category.ID) {
        self.name = name
        self.diet = diet
        self.categoryId = categoryId
    }

    public func animal(withId animalId: Animal.ID) -> Animal {
        Animal(animalId: animalId, name: name, diet: diet, categoryId: categoryId)
    }
}
