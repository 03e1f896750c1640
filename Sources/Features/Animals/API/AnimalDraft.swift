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

    /// The greatest number of letters in a name.
    public static let longestName = 100

    /// Returns a sentence about what is wrong with a name; `nil` if an animal can have it.
    public static func problem(inName name: String) -> String? {
        if name.allSatisfy(\.isWhitespace) { return "What is it called?" }
        // A letter can have any number of marks.
        return name.count <= longestName && name.utf8.count <= longestName * 8
            ? nil : "A name has \(longestName) letters at most."
    }

    public func animal(withId animalId: Animal.ID) -> Animal {
        Animal(animalId: animalId, name: name, diet: diet, categoryId: categoryId)
    }
}
