import CSQLite

extension SQLiteDatabase {
    /// Opens the connection that writes, and brings the file to the newest version.
    static func open(
        _ place: SQLiteConnection.Location, _ migrations: [Migration], _ configuration: Configuration
    ) throws(StoreError) -> SQLiteConnection {
        let isReadOnly = configuration.isReadOnly || place.flags & SQLITE_OPEN_URI != 0
        let flags = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let migrator = try SQLiteMigrator(migrations, file: place.file)
        let start = ContinuousClock.now
        let connection = try SQLiteConnection(place, flags: flags)
        // This is the first read of the file; it fails if the file is not a database.
        let version = try migrator.version(of: connection)
        guard try connection.rows("PRAGMA encoding") == [[.text("UTF-8")]] else {
            throw .cannotOpen(
                file: place.file,
                reason: "its text is in UTF-16, which SQLite orders differently; copy its tables to a new file")
        }
        if connection.isReadOnly {
            // Without migrations, a file from elsewhere can be read as it is.
            if version < migrator.newest, !migrations.isEmpty { throw .readOnly(file: place.file) }
            return connection
        }
        try connection.turnOnLog(since: start)
        try prepare(connection, configuration)
        if version < migrator.newest {
            try migrator.run(on: connection) { () throws(StoreError) in
                let connection = try SQLiteConnection(place, flags: flags)
                try prepare(connection, configuration)
                // A migration may remake a table that others refer to. The migrator checks the keys at its end.
                try connection.execute("PRAGMA foreign_keys = OFF")
                return connection
            }
        }
        connection.watchLog()
        return connection
    }

    /// Applies the settings that concern writing to a connection.
    private static func prepare(
        _ connection: SQLiteConnection, _ configuration: Configuration
    ) throws(StoreError) {
        try connection.execute("PRAGMA synchronous = \(configuration.waitsForDisk ? "FULL" : "NORMAL")")
        try connection.execute("PRAGMA foreign_keys = ON")
        guard let size = configuration.maximumSize else { return }
        let pageSize = try connection.integer("PRAGMA page_size")
        _ = try connection.rows("PRAGMA max_page_count = \(max(1, size / max(1, pageSize)))")
    }
}
