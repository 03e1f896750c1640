import CSQLite
import Foundation

extension SQLiteConnection {
    /// The file as SQLite opens it, and as errors name it.
    struct Location: Sendable {
        /// A path, or a URI if `flags` say so.
        var name: String
        var file: String
        var flags: Int32 = 0
        var system: String?
        var patience: Duration
    }
}

extension SQLiteConnection.Location {
    init(_ location: SQLiteDatabase.Location, patience: Duration) throws(StoreError) {
        switch location {
        case .memory:
            guard MemoryFileSystem.registration == SQLITE_OK else {
                throw .cannotOpen(file: ":memory:", reason: "SQLite refuses the file system in memory")
            }
            self.init(
                name: "/\(UUID().uuidString)", file: ":memory:", system: MemoryFileSystem.name, patience: patience)
        case .file(let path):
            guard !path.isEmpty, !path.utf8.contains(0) else {
                throw .cannotOpen(file: path, reason: "a path must not be empty, nor contain a zero byte")
            }
            guard !path.hasPrefix(":"), !path.hasPrefix("file:") else {
                throw .cannotOpen(
                    file: path,
                    reason: "SQLite gives this name a meaning of its own; use .memory, or put ./ before it")
            }
            // Connections that are opened later must find the same file.
            let isAbsolute = path.hasPrefix("/")
            let absolute = isAbsolute ? path : FileManager.default.currentDirectoryPath + "/" + path
            self.init(name: absolute, file: absolute, patience: patience)
        }
    }

    /// Returns the same file, opened as immutable, if its folder cannot be written to; nil otherwise. SQLite could not
    /// read it in another way, as it keeps files of its own beside it.
    func inReadOnlyFolder() throws(StoreError) -> SQLiteConnection.Location? {
        let files = FileManager.default
        let folder = (name as NSString).deletingLastPathComponent
        guard system == nil, flags == 0, files.isReadableFile(atPath: name), !files.isWritableFile(atPath: folder)
        else {
            return nil
        }
        // Changes that are only in the log would be missing.
        let log = (try? files.attributesOfItem(atPath: name + "-wal"))?[.size] as? NSNumber
        guard log.map({ $0.intValue == 0 }) ?? true else {
            throw .cannotOpen(
                file: file,
                reason: "its last changes are in \(name)-wal, which cannot be read in a folder that cannot be written "
                    + "to; copy both files to another folder")
        }
        let escaped = name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? name
        var place = self
        place.name = "file:\(escaped)?immutable=1"
        place.flags = SQLITE_OPEN_URI
        return place
    }

    /// Returns the error with the reason for which the file cannot be opened, if it is a usual one. SQLite does not tell it.
    func explained(_ error: StoreError, isReadOnly: Bool) -> StoreError {
        guard system == nil, case .cannotOpen = error else { return error }
        let files = FileManager.default
        let folder = (file as NSString).deletingLastPathComponent
        var isFolder: ObjCBool = false
        let exists = files.fileExists(atPath: file, isDirectory: &isFolder)
        let reason: String? =
            if exists {
                isFolder.boolValue ? "it is a folder" : nil
            } else if files.fileExists(atPath: folder, isDirectory: &isFolder) {
                isFolder.boolValue
                    ? (isReadOnly ? "there is no such file" : nil) : "\(folder) is a file, not a folder"
            } else {
                "its folder does not exist; make the folder first"
            }
        return reason.map { .cannotOpen(file: file, reason: $0) } ?? error
    }
}
