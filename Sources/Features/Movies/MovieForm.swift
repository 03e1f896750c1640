import Presentation

/// The form of a movie.
public struct MovieForm: TextForm, Equatable {
    public enum Field: CaseIterable, Sendable {
        case title, budget, year, score, tagline
    }

    public var title = ""
    public var budget = ""
    public var year = ""
    public var score = ""
    public var tagline = ""
    public var rating = Rating.PG
    public var genre: Genre?

    public init(
        title: String = "", rating: Rating = .PG, budget: String = "", year: String = "", score: String = "",
        tagline: String = "", genre: Genre? = nil
    ) {
        self.title = title
        self.rating = rating
        self.budget = budget
        self.year = year
        self.score = score
        self.tagline = tagline
        self.genre = genre
    }

    /// The form of an existing movie.
    public init(_ movie: Movie) {
        self.init(
            title: movie.title, rating: movie.rating, budget: "\(movie.budget)",
            year: movie.year.map { "\($0)" } ?? "", score: movie.score.map { "\($0)" } ?? "",
            tagline: movie.tagline ?? "", genre: movie.genre)
    }

    public func problem(in field: Field) -> String? {
        let text = trimmed(field)
        switch field {
        case .title:
            return Movie.problem(inTitle: text)
        case .budget:
            if text.isEmpty { return "What did it cost?" }
            return Movie.budgets ~= Self.budget(text) ?? -1
                ? nil : "A budget is a number of dollars, such as 10,000,000."
        case .year:
            return text.isEmpty || Movie.years ~= Int(text) ?? 0 ? nil : "A year is a number such as 1949."
        case .score:
            return text.isEmpty || Movie.scores ~= Double(text) ?? -1 ? nil : "A score is a number from 0 to 10."
        case .tagline: return Movie.problem(inTagline: text)
        }
    }

    /// The movie with an id, if no field has a problem.
    public func movie(withId id: Movie.ID) -> Movie? {
        guard isComplete, let budget = Self.budget(trimmed(.budget)) else { return nil }
        let tagline = trimmed(.tagline)
        return Movie(
            id: id, title: trimmed(.title), rating: rating, budget: budget, year: Int(trimmed(.year)),
            score: Double(trimmed(.score)), tagline: tagline.isEmpty ? nil : tagline, genre: genre)
    }

    /// Reads a number with or without commas between its thousands.
    private static func budget(_ text: String) -> Int? {
        let groups = text.split(separator: ",", omittingEmptySubsequences: false)
        guard let first = groups.first, groups.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }),
            groups.count == 1 || (1...3 ~= first.count && groups.dropFirst().allSatisfy { $0.count == 3 })
        else { return nil }
        return Int(groups.joined())
    }

    public static func text(of field: Field) -> WritableKeyPath<MovieForm, String> {
        switch field {
        case .title: \.title
        case .budget: \.budget
        case .year: \.year
        case .score: \.score
        case .tagline: \.tagline
        }
    }
}
