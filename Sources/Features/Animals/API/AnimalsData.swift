/// The whole content of a store.
public struct AnimalsData: Hashable, Sendable {
    public var categories: [Category]
    public var animals: [Animal]

    public init(categories: [Category], animals: [Animal]) {
        self.categories = categories
        self.animals = animals
    }
}

extension AnimalsData {
    /// The content of a new store, and of one whose sample data was reloaded.
    public static let sample = AnimalsData(
        categories: [
            Category(categoryId: "Amphibian", name: "Amphibian"),
            Category(categoryId: "Bird", name: "Bird"),
            Category(categoryId: "Fish", name: "Fish"),
            Category(categoryId: "Invertebrate", name: "Invertebrate"),
            Category(categoryId: "Mammal", name: "Mammal"),
            Category(categoryId: "Reptile", name: "Reptile"),
        ],
        animals: [
            Animal(animalId: "Cat", name: "Cat", diet: .carnivorous, categoryId: "Mammal"),
            Animal(animalId: "Dog", name: "Dog", diet: .carnivorous, categoryId: "Mammal"),
            Animal(animalId: "Gibbon", name: "Gibbon", diet: .herbivorous, categoryId: "Mammal"),
            Animal(animalId: "Kangaroo", name: "Kangaroo", diet: .herbivorous, categoryId: "Mammal"),
            Animal(animalId: "Newt", name: "Newt", diet: .carnivorous, categoryId: "Amphibian"),
            Animal(animalId: "Sparrow", name: "Sparrow", diet: .omnivorous, categoryId: "Bird"),
        ])
}
