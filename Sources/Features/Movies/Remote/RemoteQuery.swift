import Foundation
import Persistence

/// The query of a URL: which rows, in which order, which part of them.
///
///     rating=eq.PG-13&budget=gte.10000000&order=title.asc,budget.desc,id.asc&limit=20&offset=40
struct RemoteQuery: Equatable, Sendable {
    var condition = RemoteCondition.always
    var order: [String] = []
    var limit: Int?
    var offset = 0
    /// The columns to answer with; empty for all.
    var columns: [String] = []

    var items: [URLQueryItem] {
        var items = condition.items
        if !columns.isEmpty { items.append(URLQueryItem(name: "select", value: columns.joined(separator: ","))) }
        if !order.isEmpty { items.append(URLQueryItem(name: "order", value: order.joined(separator: ","))) }
        if let limit { items.append(URLQueryItem(name: "limit", value: "\(limit)")) }
        if offset > 0 { items.append(URLQueryItem(name: "offset", value: "\(offset)")) }
        return items
    }
}

extension RemoteQuery {
    /// What `order` says of criteria. Objects that they find equal are in the order of the ids, so that pages fit together.
    static func order(by criteria: [SortCriterion<Movie>]) throws(StoreError) -> [String] {
        var terms: [String] = []
        var isTotal = false
        for criterion in criteria where !isTotal {
            guard let column = Movie.schema.column(for: criterion.attribute) else {
                throw .unknownProperty("\(criterion.attribute)", table: Movie.schema.name)
            }
            var term = "\(column.name).\(criterion.order == .ascending ? "asc" : "desc")"
            if criterion.attribute.isOptional { term += criterion.nilPlace == .first ? ".nullsfirst" : ".nullslast" }
            terms.append(term)
            isTotal = column.name == Movie.schema.id.name
        }
        return isTotal ? terms : terms + ["\(Movie.schema.id.name).asc"]
    }
}
