import Persistence

/// A selection of movies, and their order.
public struct MovieSelection: Equatable, Sendable {
    /// A part of the title; differences of case are ignored. Accents are not, so that the server can search for it.
    public var title = ""
    /// Nil for all.
    public var rating: Rating?
    /// Nil for all.
    public var genre: Genre?
    /// The years of the first showing, or nil for all movies, including those of unknown years.
    public var years: ClosedRange<Int>?
    /// The budgets in dollars, or nil for all.
    public var budgets: ClosedRange<Int>?
    public var order = Order.title

    public enum Order: String, CaseIterable, Sendable {
        case title
        case newest
        case budget
        case score
    }

    public init(
        title: String = "", rating: Rating? = nil, genre: Genre? = nil, years: ClosedRange<Int>? = nil,
        budgets: ClosedRange<Int>? = nil, order: Order = .title
    ) {
        self.title = title
        self.rating = rating
        self.genre = genre
        self.years = years
        self.budgets = budgets
        self.order = order
    }
}

extension MovieSelection {
    /// `true` if all movies match, in whichever order.
    var isEveryMovie: Bool { self == MovieSelection(order: order) }

    var condition: Condition<Movie> {
        var parts: [Condition<Movie>] = []
        if let rating { parts.append(\.rating == rating) }
        if let genre { parts.append(\.genre == genre) }
        if let years { parts.append(.between(\.year, years)) }
        if let budgets { parts.append(.between(\.budget, budgets)) }
        if !title.isEmpty { parts.append(.contains(\.title, title, .caseInsensitive)) }
        return .all(of: parts).optimized
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
