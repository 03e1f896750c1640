import Animals

extension Animals.Category {
    public static func fixture(categoryId: String = "Mammal", name: String = "Mammal") -> Animals.Category {
        Animals.Category(categoryId: categoryId, name: name)
    }
}

extension Animal {
    public static func fixture(
        animalId: String = "Cat", name: String = "Cat", diet: Diet = .carnivorous, categoryId: String = "Mammal"
    ) -> Animal {
        Animal(animalId: animalId, name: name, diet: diet, categoryId: categoryId)
    }
}

extension AnimalDraft {
    public static func fixture(
        name: String = "Fox", diet: Animal.Diet = .omnivorous, categoryId: String = "Mammal"
    ) -> AnimalDraft {
        AnimalDraft(name: name, diet: diet, categoryId: categoryId)
    }
}

extension AnimalsData {
    public static func fixture(
        categories: [Animals.Category] = [.fixture()], animals: [Animal] = [.fixture()]
    ) -> AnimalsData {
        AnimalsData(categories: categories, animals: animals)
    }

    /// `count` animals, spread over the sample's categories.
    public static func many(_ count: Int) -> AnimalsData {
        let categories = AnimalsData.sample.categories
        return AnimalsData(
            categories: categories,
            animals: (0..<count).map { number in
                .fixture(
                    animalId: "\(number)", name: "Animal \(number)",
                    categoryId: categories[number % categories.count].id)
            })
    }
}

extension AnimalsError {
    /// A failure that a person would try again.
    public static func fixture() -> AnimalsError { .remote(.fixture()) }
}
