import Presentation

/// The form of an animal that is being added or changed.
public struct AnimalForm: TextForm, Equatable {
    public enum Field: CaseIterable, Sendable {
        case name
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

    public func problem(in field: Field) -> String? {
        switch field {
        case .name: AnimalDraft.problem(inName: trimmed(.name))
        }
    }

    /// A sentence about the missing diet; `nil` if it is chosen.
    public var dietProblem: String? { diet == nil ? "What does it eat?" : nil }

    /// A sentence about the missing category; `nil` if it is chosen.
    public var categoryProblem: String? { categoryId == nil ? "Which category does it belong to?" : nil }

    /// The animal that is described, if nothing is missing.
    public var draft: AnimalDraft? {
        guard isComplete, let diet, let categoryId else { return nil }
        return AnimalDraft(name: trimmed(.name), diet: diet, categoryId: categoryId)
    }

    public static func text(of field: Field) -> WritableKeyPath<AnimalForm, String> {
        switch field {
        case .name: \.name
        }
    }
}
