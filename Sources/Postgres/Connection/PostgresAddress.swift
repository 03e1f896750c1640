import CPostgres
import Foundation
import Persistence

/// The address of a server and its database, as parsed by libpq. It never exposes the password as text.
struct PostgresAddress: Sendable {
    /// libpq's connection options, by keyword.
    private let options: [(keyword: String, value: String)]
    /// The address without the password.
    let description: String

    /// Parses `postgresql://user:password@host:port/database?option=value`, or libpq's `keyword=value` pairs.
    ///
    /// libpq's own message about text that it cannot parse repeats parts of it, such as the password, and is not passed on.
    init(_ text: String) throws(StoreError) {
        guard !text.utf8.contains(0), !Self.isAmbiguous(text) else { throw Self.malformed }
        guard let options = Self.options(takenFrom: PQconninfoParse(text, nil)) else { throw Self.malformed }
        func value(_ keyword: String) -> String? { options.first { $0.keyword == keyword }?.value }
        guard !(value("dbname")?.contains("@") ?? false), !(value("port")?.contains("@") ?? false) else {
            throw Self.malformed
        }
        self.options = options
        let user = value("user").map { "\($0)@" } ?? ""
        let port = value("port").map { ":\($0)" } ?? ""
        description =
            "postgresql://\(user)\(value("host") ?? value("hostaddr") ?? "")\(port)"
            + (value("dbname").map { "/\($0)" } ?? "")
    }

    /// Returns the options in a list of libpq, which it frees.
    static func options(
        takenFrom list: UnsafeMutablePointer<PQconninfoOption>?
    ) -> [(keyword: String, value: String)]? {
        guard let list else { return nil }
        defer { PQconninfoFree(list) }
        var options: [(keyword: String, value: String)] = []
        var option = list
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { options.append((String(cString: keyword), String(cString: value))) }
            option += 1
        }
        return options
    }

    /// Returns true for a URL in which a part of the password may be taken for the user or the host, and printed.
    private static func isAmbiguous(_ text: String) -> Bool {
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else { return false }
        let beforeOptions = text.prefix { $0 != "?" }
        // libpq looks for the end of the password before the first slash, also in the options.
        let beforeSlash = text.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" }
        return beforeOptions.count { $0 == "@" } > 1 || (!beforeOptions.contains("@") && beforeSlash.contains("@"))
    }

    private static var malformed: StoreError {
        .cannotOpen(
            file: "The address of the database",
            reason:
                "it is not of the form postgresql://user:password@host:port/database, in which special characters are "
                + "percent-encoded")
    }

    /// Calls `body` with the options in the form of libpq, in which each list ends with nil. `defaults` are used for
    /// missing options; `others` replace existing ones.
    func withOptions<Result>(
        defaults: [String: String], replacedBy others: [String: String] = [:],
        _ body: ([UnsafePointer<CChar>?], [UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        var all = Dictionary(options.map { ($0.keyword, $0.value) }, uniquingKeysWith: { $1 })
        for (keyword, value) in defaults where all[keyword] == nil { all[keyword] = value }
        all.merge(others) { $1 }
        // Text is exchanged as UTF-8, whatever the environment says.
        all["client_encoding"] = "UTF8"
        let keywords = all.keys.map { strdup($0) }
        let values = all.values.map { strdup($0) }
        defer { for text in keywords + values { free(text) } }
        return body(
            keywords.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil])
    }

    /// Returns a message of libpq or the server with the password removed. Within a longer word, the letters of a short password
    /// are only letters, and would be told by hiding them.
    func redacted(_ message: String) -> String {
        guard let password = options.first(where: { $0.keyword == "password" })?.value, !password.isEmpty else {
            return message
        }
        func isInWord(_ character: Character?) -> Bool { character.map { $0.isLetter || $0.isNumber } ?? false }
        var rest = message[...]
        var redacted = ""
        while let found = rest.firstRange(of: password) {
            let before = found.lowerBound == message.startIndex ? nil : message[message.index(before: found.lowerBound)]
            let isPart =
                isInWord(before) && isInWord(password.first)
                || isInWord(message[found.upperBound...].first) && isInWord(password.last)
            redacted += rest[..<found.lowerBound] + (isPart ? password : "…")
            rest = rest[found.upperBound...]
        }
        return redacted + rest
    }
}

// Neither printing nor `dump` shows the password.
extension PostgresAddress: CustomStringConvertible, CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: ["address": description]) }
}
