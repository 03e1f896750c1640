/// An animal that no store has seen yet; the store that adds it gives it its id.
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
