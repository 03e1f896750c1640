import Foundation
import Networking
import Persistence

extension StoreError {
    /// Makes the store's error for a failed request.
    ///
    /// - Parameter key: The column of the table's key; a row that violates it is a duplicate.
    init(_ error: CoreError, key: SchemaKey) {
        guard case let .status(failure) = error, let message: PostgRESTMessage = failure.body() else {
            self.init(error)
            return
        }
        if message.code == "23505", let id = message.duplicateID(key) {
            self = .duplicate(id: id)
        } else if message.code?.hasPrefix("23") == true {
            self = .constraint(reason: message.text.clause)
        } else {
            self.init(error, reason: message.text)
        }
    }

    /// The error of a page that ends as the one before, so that there would be no end of pages.
    static func repeatedPage(of table: String) -> StoreError {
        .refused(
            reason: "the server answers each request for the next rows of \(table) with the same ones; it, or a proxy, "
                + "ignores the query of the URL")
    }

    /// The error of pages by offset between which rows were removed, so that some may be missing.
    static func shiftedPage(of table: String) -> StoreError {
        .unreachable(
            reason:
                "rows of \(table) were removed while it was fetched page by page, so some may be missing; fetch again")
    }
}

/// The key of a table, by the name in messages of the server.
struct SchemaKey: Sendable {
    let column: String
    /// Prints an id as the other stores do; PostgreSQL writes a UUID in lower case.
    let describe: @Sendable (String) -> String

    init<Object>(_ schema: Schema<Object>) {
        let kind = schema.id.attribute.kind
        column = schema.id.name
        describe = { text in
            PrimitiveValue(postgresText: text, kind: kind).flatMap { Object.ID(primitiveValue: $0) }
                .map { "\($0)" } ?? text
        }
    }
}

/// The body in which PostgREST explains an error.
private struct PostgRESTMessage: Decodable {
    let code: String?
    let message: String
    let details: String?
    let hint: String?

    var text: String {
        ([message] + [details, hint].compactMap { $0 }.filter { !$0.isEmpty }).joined(separator: "; ")
            + (code.map { " (\($0))" } ?? "")
    }

    /// The id in `Key (id)=(…) already exists.`; nil if the row violates another constraint than that of the key.
    func duplicateID(_ key: SchemaKey) -> String? {
        guard let details, let start = details.firstRange(of: "(\(key.column))=(")?.upperBound,
            let end = details[start...].firstRange(of: ") already exists")?.lowerBound
        else { return nil }
        return key.describe(String(details[start..<end]))
    }
}
