import Foundation
import Persistence

/// The query of a URL: the condition of the rows, their order, and the page.
///
///     rating=eq.PG-13&budget=gte.10000000&order=title.asc,budget.desc,id.asc&limit=20&offset=40
struct PostgRESTQuery: Equatable, Sendable {
    /// The column of the key.
    var key: String
    var condition = PostgRESTCondition.always
    var order: [String] = []
    var limit: Int?
    var offset = 0
    /// The columns to return; empty for all.
    var columns: [String] = []

    var items: [URLQueryItem] {
        var items = condition.items(key: key)
        if !columns.isEmpty {
            items.append(URLQueryItem(name: "select", value: columns.map(\.quotedColumn).joined(separator: ",")))
        }
        if !order.isEmpty { items.append(URLQueryItem(name: "order", value: order.joined(separator: ","))) }
        if let limit { items.append(URLQueryItem(name: "limit", value: "\(limit)")) }
        if offset > 0 { items.append(URLQueryItem(name: "offset", value: "\(offset)")) }
        return items
    }

    /// Returns the terms of `order`. Objects that the criteria find equal are in the order of their ids, so that pages
    /// fit together.
    static func order<Object>(
        by criteria: [SortCriterion<Object>], in schema: Schema<Object>
    ) throws(StoreError) -> [String] {
        var terms: [String] = []
        var isTotal = false
        for criterion in criteria where !isTotal {
            let column = try schema.name(of: criterion.attribute)
            var term = "\(column.quotedColumn).\(criterion.order == .ascending ? "asc" : "desc")"
            if criterion.attribute.isOptional { term += criterion.nilPlace == .first ? ".nullsfirst" : ".nullslast" }
            terms.append(term)
            isTotal = column == schema.id.name
        }
        return isTotal ? terms : terms + ["\(schema.id.name.quotedColumn).asc"]
    }
}

extension Schema {
    /// The name of the column that holds a property.
    func name(of attribute: Attribute<Object>) throws(StoreError) -> String {
        guard let column = column(for: attribute) else { throw .unknownProperty("\(attribute)", table: name) }
        return column.name
    }
}
