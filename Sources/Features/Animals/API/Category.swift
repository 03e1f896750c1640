import Persistence

/// A kind of animals.
public struct Category: Hashable, Codable, Sendable {
    public var categoryId: String
    public var name: String

    public init(categoryId: String, name: String) {
        self.categoryId = categoryId
        self.name = name
    }
}

extension Category: Identifiable {
    public var id: String { categoryId }
}

// MARK: - Storing

extension Category {
    /// The table of the categories.
    public static let schema = Schema<Category>(
        "categories", Category.init, Column("category_id", \.categoryId), Column("name", \.name))
}
