import Foundation

/// The form of an animal that is being added or changed.
public struct AnimalForm: Equatable, Sendable {
    public enum Field: CaseIterable, Sendable {
        case name, diet, category
    }

    public var name: String
    public var diet: Animal.Diet?
    public var categoryId: Category.ID?

    public init(name: String = "", diet: Animal.Diet? = nil, categoryId: Category.ID? = nil) {
        self.name = name
        self.diet = diet
        self.categoryId = categoryId
    }

    public init(_ animal: Animal) {
        self.init(name: animal.name, diet: animal.diet, categoryId: animal.categoryId)
    }

    /// A sentence about the problem in a field; `nil` if there is none.
    public func problem(in field: Field) -> String? {
        switch field {
        case .name:
            if trimmedName.isEmpty { return "What is it called?" }
            return trimmedName.count <= 100 ? nil : "A name has 100 letters at most."
        case .diet:
            return diet == nil ? "What does it eat?" : nil
        case .category:
            return categoryId == nil ? "Which category does it belong to?" : nil
        }
    }

    /// The animal that is described, if no field has a problem.
    public var draft: AnimalDraft? {
        guard Field.allCases.allSatisfy({ problem(in: $0) == nil }), let diet, let categoryId else { return nil }
        return AnimalDraft(name: trimmedName, diet: diet, categoryId: categoryId)
    }

    private var trimmedName: String {
        name.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
