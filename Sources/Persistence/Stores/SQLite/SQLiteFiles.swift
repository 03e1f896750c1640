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

        init(_ status: stat) { (device, number) = (status.st_dev, status.st_ino) }
    }

    /// A look at the files.
    enum Finding {
        case inPlace
        /// The log is too short for the pages that were written to it.
        case shortLog
        /// One of the files was deleted, or another one is in its place.
        case replaced
    }

    private let identities: [(path: String, identity: Identity, isLog: Bool)]

    /// Notes the files that a connection has opened. In memory there are none.
    init(of connection: SQLiteConnection) {
        var paths = [connection.file]
        // SQLite puts the other two beside the file itself, not beside a link to it. If the file is only read, another program may
        // end its log.
        if !connection.isReadOnly, let name = sqlite3_db_filename(connection.handle, "main") {
            paths += ["-wal", "-shm"].map { String(cString: name) + $0 }
        }
        identities = paths.enumerated().compactMap { index, path in
            Self.status(of: path).map { (path, Identity($0), index == 1) }
        }
    }

    /// False if one of the files was deleted, or if another one is in its place.
    var areInPlace: Bool { look() == .inPlace }

    /// Looks at the files.
    ///
    /// - Parameter logSize: The size that the log must have at least.
    func look(logSize: Int64 = 0) -> Finding {
        var finding = Finding.inPlace
        for (path, identity, isLog) in identities {
            guard let status = Self.status(of: path), Identity(status) == identity else { return .replaced }
            if isLog, status.st_size < logSize { finding = .shortLog }
        }
        return finding
    }

    /// Returns nil if there is no file.
    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
