import Persistence

/// A selection of movies, and their order.
public struct MovieSelection: Equatable, Sendable {
    /// A part of the title, in any case. Accents count, so that the server can search for it.
    public var title = ""
    /// `nil` for all.
    public var rating: Rating?
    public var order = Order.title

    public enum Order: String, CaseIterable, Sendable {
        case title
        case newest
        case budget
        case score
    }

    public init(title: String = "", rating: Rating? = nil, order: Order = .title) {
        self.title = title
        self.rating = rating
        self.order = order
    }
}

extension MovieSelection {
    var condition: Condition<Movie> {
        let ofRating = rating.map { \.rating == $0 } ?? Condition<Movie>.always
        return title.isEmpty ? ofRating : ofRating && .contains(\.title, title, .caseInsensitive)
    }
}

extension MovieSelection.Order {
    var criterion: SortCriterion<Movie> {
        switch self {
        case .title: SortCriterion(\.title)
        case .newest: SortCriterion(\.year, .descending)
        case .budget: SortCriterion(\.budget, .descending)
        case .score: SortCriterion(\.score, .descending)
        }
    }
}
