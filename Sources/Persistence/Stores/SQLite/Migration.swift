/// A step from one version of a database file to the next.
///
///     Migration(to: 2, "ALTER TABLE movies ADD COLUMN year INTEGER")
///
/// A new file gets its tables from the schemas, in their present shape, and runs no migration. An older one runs those above
/// its version, each in a transaction: a step that fails leaves the file at the version before it.
public struct Migration: Sendable {
    /// The version that the file has after this step; the first file ever written has version 1.
    public let version: Int
    /// The SQL statements of the step.
    public let statements: [String]

    public init(to version: Int, _ statements: String...) {
        self.version = version
        self.statements = statements
    }
}
