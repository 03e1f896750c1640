import Persistence

extension StoreError {
    /// Makes the error for a code of PostgreSQL (SQLSTATE).
    init(code: String, reason: String, address: PostgresAddress) {
        self =
            switch code {
            case "40001", "40P01": .conflict(reason: reason)
            // The server shuts down, has crashed, or starts.
            case "57P01", "57P02", "57P03", "53300": .unreachable(reason: reason)
            case "57014": .refused(reason: reason)
            case "53100": .full(file: address.description)
            case "25006": .readOnly(file: address.description)
            case "22003": .outOfRange(reason: reason)
            // A text is too long for its column, or a value for its index.
            case "22001", "54000": .constraint(reason: reason)
            case "3F000": .refused(reason: "\(reason); check the search_path of the role")
            default:
                switch code.prefix(2) {
                case "08": .unreachable(reason: reason)
                case "23": .constraint(reason: reason)
                case "28", "3D": .refused(reason: reason)
                default: code == "42501" ? .refused(reason: reason) : .postgres(code: code, reason: reason)
                }
            }
    }

    /// This error as one of a statement in a read-only transaction of its own.
    var ofReading: StoreError {
        guard case .readOnly = self else { return self }
        return .refused(
            reason:
                "a statement cannot write in the read-only transaction in which rows are selected; use execute, "
                + "or a transaction")
    }

    /// Returns this error as one about a table: a ``Persistence/StoreError/schemaMismatch(table:reason:)`` if the table
    /// does not fit the schema.
    func about(_ table: String) -> StoreError {
        guard case .postgres(let code, let reason) = self else { return self }
        // No such table or column, another type, or NULL in a column that may not have it.
        return ["42P01", "42703", "42804", "42883", "22P03"].contains(code)
            ? .schemaMismatch(table: table, reason: reason) : self
    }
}
