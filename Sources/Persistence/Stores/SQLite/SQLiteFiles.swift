import CSQLite
import Foundation

/// The files of an open database: its own, the write-ahead log, and the index of the log.
///
/// If one of them is deleted or replaced, SQLite goes on with the old one, which nobody else can open.
struct SQLiteFiles: Sendable {
    /// The number of a file and of its device, which another file at the same path does not have.
    private struct Identity: Equatable {
        let device: dev_t
        let number: ino_t

        /// Returns nil if there is no file.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (device, number) = (status.st_dev, status.st_ino)
        }
    }

    private let identities: [(path: String, identity: Identity)]

    /// Notes the files that a connection has opened. In memory there are none.
    init(of connection: SQLiteConnection) {
        var paths = [connection.file]
        // SQLite puts the other two beside the file itself, not beside a link to it. If the file is only read, another program may
        // end its log.
        if !connection.isReadOnly, let name = sqlite3_db_filename(connection.handle, "main") {
            paths += ["-wal", "-shm"].map { String(cString: name) + $0 }
        }
        identities = paths.compactMap { path in Identity(path).map { (path, $0) } }
    }

    /// False if one of the files was deleted, or if another one is in its place.
    var areInPlace: Bool { identities.allSatisfy { Identity($0.path) == $0.identity } }
}
