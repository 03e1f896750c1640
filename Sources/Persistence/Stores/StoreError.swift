import Feedback

/// The reason why a call of a store failed.
public enum StoreError: Error, Hashable, Sendable {
    /// An object with this identifier is stored already.
    case duplicate(id: String)
    /// There is no object with this identifier to update.
    case missing(id: String)
    /// The file is damaged, or is not a database.
    case corrupt(file: String, reason: String)
    /// Another process holds the file.
    case locked(file: String)
    /// The file may only be read.
    case readOnly(file: String)
    /// The disk is full, or the file has reached its maximum size.
    case full(file: String)
    /// The file cannot be opened, or it was deleted or replaced while it was open.
    case cannotOpen(file: String, reason: String)
    /// The file was written by a newer version of the program.
    case newerVersion(file: String, found: Int, supported: Int)
    /// A migration failed; the file is as it was before.
    case migrationFailed(file: String, version: Int, reason: String)
    /// The stored table does not fit the schema.
    case schemaMismatch(table: String, reason: String)
    /// A row has a value that does not fit the property. The id is that of the row, if it is known.
    case unreadable(table: String, id: String?, column: String, found: String)
    /// A condition or a sort order names a property that has no column.
    case unknownProperty(String, table: String)
    /// A pattern of `matches` is not a regular expression.
    case invalidPattern(String, reason: String)
    /// Conditions are joined deeper than ``Condition/maximumDepth``.
    case tooDeep(limit: Int)
    /// A number is too large for its type.
    case outOfRange(reason: String)
    /// A constraint of the table, other than that of its key, forbids the write.
    case constraint(reason: String)
    /// The store was used directly in the body of one of its own transactions.
    case insideTransaction
    /// The transaction was rolled back for this reason; none of its changes were kept.
    case rolledBack(reason: String)
    /// The caller cancelled the request before the store had answered.
    case cancelled
    /// A remote store could not be reached.
    case unreachable(reason: String)
    /// The store refused the request.
    case refused(reason: String)
    /// The transaction conflicted with others each time that it was tried.
    case conflict(reason: String)
    /// It is unknown if the write was done: the connection was lost during the commit, or the answer of a remote store
    /// cannot be read.
    case outcomeUnknown(reason: String)
    /// The remote store has done the write, and this version of the program cannot read its object. The id is as PostgreSQL
    /// writes it.
    case unreadableAnswer(table: String, id: String, column: String, found: String)
    /// PostgreSQL failed with an error that has no case of its own. The code is its SQLSTATE.
    case postgres(code: String, reason: String)
    /// SQLite failed with an error that has no case of its own.
    case sqlite(code: Int32, reason: String)
}

extension StoreError: ExpressibleByCancellation {}

extension StoreError: CustomStringConvertible {
    public var description: String {
        let sentence = sentence
        // The reason may be a sentence with a full stop of its own.
        return sentence.hasSuffix("..") ? String(sentence.dropLast()) : sentence
    }

    private var sentence: String {
        switch self {
        case .duplicate(let id): "An object with the id \(id) is stored already; update it, or use upsert."
        case .missing(let id): "No object with the id \(id) is stored; insert it, or use upsert."
        case .corrupt(let file, let reason):
            "\(file) is damaged, or is not a SQLite database (\(reason)). Nothing was changed in it; restore it from a backup."
        case .locked(let file): "Another process holds \(file); try again when it is done."
        case .readOnly(let file): "\(file) can only be read; check its permissions and how it was opened."
        case .full(let file): "There is no space left for \(file), so nothing of this write was kept."
        case .cannotOpen(let file, let reason): "\(file) cannot be opened: \(reason)."
        case .newerVersion(let file, let found, let supported):
            "\(file) has version \(found), and this program knows versions up to \(supported); update the program."
        case .migrationFailed(let file, let version, let reason):
            "\(file) could not be migrated to version \(version), and is as it was before: \(reason)."
        case .schemaMismatch(let table, let reason): "The table \(table) does not fit its schema: \(reason)."
        case .unreadable(let table, let id, let column, let found):
            "\(id.map { "The row \($0)" } ?? "A row") of \(table) holds \(found) in \(column), which is not a value of that "
                + "property; correct the row, or \(id == nil ? "the statement that selected it" : "delete it")."
        case .unknownProperty(let property, let table): "\(property) has no column in the schema of \(table); add one."
        case .invalidPattern(let pattern, let reason): "\"\(pattern)\" is not a regular expression: \(reason)."
        case .tooDeep(let limit):
            "The conditions of the query are nested more than \(limit) deep; join them with all(of:) or any(of:)."
        case .outOfRange(let reason): "A number is too large for its type: \(reason)."
        case .constraint(let reason): "The table does not allow this: \(reason)."
        case .insideTransaction:
            "A store was used in the body of its own transaction. Use the transaction that the body gets instead."
        case .rolledBack(let reason): "The transaction was rolled back, and none of its changes were kept: \(reason)."
        case .cancelled: "The request was cancelled before the store had answered."
        case .unreachable(let reason): "The store cannot be reached: \(reason)."
        case .refused(let reason): "The store refused: \(reason)."
        case .conflict(let reason):
            "Other transactions changed the same objects at the same time (\(reason)). Nothing of this one was kept; try again."
        case .outcomeUnknown(let reason):
            "It is unknown if the write was done (\(reason)). Read the objects to see whether it was."
        case .unreadableAnswer(let table, let id, let column, let found):
            "The write was done, but the row \(id) of \(table) now holds \(found) in \(column), which this version of the "
                + "program cannot read; update the program, and do not repeat the write."
        case .postgres(let code, let reason): "PostgreSQL failed with code \(code): \(reason)."
        case .sqlite(let code, let reason): "SQLite failed with code \(code): \(reason)."
        }
    }
}
