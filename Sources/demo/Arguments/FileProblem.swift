import Foundation
import Networking
import Quakes

/// The reason why a file or folder of the arguments cannot be used, found before anything is started.
enum FileProblem: Error, Equatable, CustomStringConvertible {
    case missing(String, path: String)
    case missingFolder(String, path: String)
    case isFolder(String, path: String)
    case isFile(String, path: String)
    case unreadable(path: String)
    case unwritable(String, path: String)
    case notSaved(String, path: String)
    case notADatabase(path: String)
    case notAFeed(path: String, reason: String)
    case noAnswers(path: String)
    /// Found while the program runs.
    case unwritten(String, path: String, reason: String)

    var description: String {
        switch self {
        case let .missing("--canned", path):
            "There is no folder of canned answers at \(path). Check the path of --canned."
        case let .missing(option, path): "There is no file \(path). Check the path of \(option)."
        case let .missingFolder(option, path): "There is no folder \(path) for the file of \(option). Make it first."
        case let .isFolder(option, path): "\(path) is a folder, but \(option) needs a file. Name a file in it."
        case let .isFile(option, path): "\(path) is a file, but \(option) needs a folder. Name the folder it is in."
        case let .unreadable(path): "You may not read \(path). Change its permissions, or those of its folder."
        case let .unwritable(option, path):
            "You may not write to \(path). Change its permissions, or give \(option) another path."
        case let .notSaved(option, path):
            "\(path) is a pipe or a device, but \(option) needs a file. Save its content in a file."
        case let .notADatabase(path):
            "\(path) is damaged, or is not a SQLite database. Choose another file, or delete it to start empty."
        case let .notAFeed(path, reason): "\(path) is not a GeoJSON feed of quakes. \(reason)"
        case let .noAnswers(path): "The folder \(path) has no canned answers: no file in it ends with .json."
        case let .unwritten(contents, path, reason):
            "The \(contents) could not be written to \(path): \(reason). Free some space, or choose another file."
        }
    }

    /// Makes the problem of a file that could not be written.
    static func unwritten(_ contents: String, to file: URL, _ error: any Error) -> FileProblem {
        let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] ?? error
        let code = (cause as? POSIXError)?.code.rawValue ?? Int32(truncatingIfNeeded: (cause as? NSError)?.code ?? 0)
        let isPOSIX = cause is POSIXError || (cause as? NSError)?.domain == NSPOSIXErrorDomain
        return .unwritten(
            contents, path: path(of: file),
            reason: isPOSIX ? String(cString: strerror(code)) : (error as NSError).localizedDescription)
    }

    /// Checks the files of the arguments; `nil` if all of them can be used.
    init?(in arguments: Arguments) {
        do throws(FileProblem) {
            if let folder = arguments.cannedFolder { try Self.checkCanned(Self.path(of: folder)) }
            if let database = arguments.database { try Self.checkDatabase(Self.path(of: database)) }
            if let feed = arguments.feed { try Self.checkFeed(feed) }
            if let states = arguments.states { try Self.checkWritable(Self.path(of: states), "--states") }
            if let record = arguments.record { try Self.checkWritable(Self.path(of: record), "--record") }
            if let replay = arguments.replay { try Self.checkReadable(Self.path(of: replay), "--replay") }
            if let folder = arguments.testFolder { try Self.checkFolder(Self.path(of: folder), "--as-test") }
            return nil
        } catch {
            self = error
        }
    }

    private static func path(of url: URL) -> String { url.path(percentEncoded: false) }

    private static func isFolder(_ path: String) -> Bool? {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) ? isFolder.boolValue : nil
    }

    /// True if a folder on the way may not be entered, so that it is unknown what is there.
    private static func isHidden(_ path: String) -> Bool { access(path, F_OK) != 0 && errno == EACCES }

    private static func absent(_ path: String, _ option: String) -> FileProblem {
        isHidden(path) ? .unreadable(path: path) : .missing(option, path: path)
    }

    private static func checkCanned(_ path: String) throws(FileProblem) {
        guard let isFolder = isFolder(path) else { throw absent(path, "--canned") }
        guard isFolder else { throw .isFile("--canned", path: path) }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw .unreadable(path: path)
        }
        let files = names.filter { $0.hasSuffix(".json") }.map {
            Self.path(of: URL(filePath: path).appending(path: $0))
        }
        if files.isEmpty { throw .noAnswers(path: path) }
        for file in files where !FileManager.default.isReadableFile(atPath: file) { throw .unreadable(path: file) }
    }

    private static func checkDatabase(_ path: String) throws(FileProblem) {
        try checkWritable(path, "--database")
        // A new database may be an empty file.
        guard let handle = FileHandle(forReadingAtPath: path) else { return }
        defer { try? handle.close() }
        let start = (try? handle.read(upToCount: 16)) ?? Data()
        if !start.isEmpty, start != Data("SQLite format 3\0".utf8) { throw .notADatabase(path: path) }
    }

    private static func checkWritable(_ path: String, _ option: String) throws(FileProblem) {
        if let isFolder = isFolder(path) {
            if isFolder { throw .isFolder(option, path: path) }
            if !FileManager.default.isWritableFile(atPath: path) { throw .unwritable(option, path: path) }
            return
        }
        let folder = Self.path(of: URL(filePath: path).deletingLastPathComponent())
        guard isFolder(folder) == true else {
            throw isHidden(folder) ? .unwritable(option, path: folder) : .missingFolder(option, path: folder)
        }
        if !FileManager.default.isWritableFile(atPath: folder) { throw .unwritable(option, path: folder) }
    }

    private static func checkReadable(_ path: String, _ option: String) throws(FileProblem) {
        guard let isFolder = isFolder(path) else { throw absent(path, option) }
        if isFolder { throw .isFolder(option, path: path) }
        if !FileManager.default.isReadableFile(atPath: path) { throw .unreadable(path: path) }
    }

    /// Checks a folder that is made if it is missing.
    private static func checkFolder(_ path: String, _ option: String) throws(FileProblem) {
        guard let isFolder = isFolder(path) else { return }
        guard isFolder else { throw .isFile(option, path: path) }
        if !FileManager.default.isWritableFile(atPath: path) { throw .unwritable(option, path: path) }
    }

    private static func checkFeed(_ feed: URL) throws(FileProblem) {
        let path = path(of: feed)
        try checkReadable(path, "--feed")
        // It is read several times.
        var info = stat()
        guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { throw .notSaved("--feed", path: path) }
        guard let data = try? Data(contentsOf: feed) else { throw .unreadable(path: path) }
        if case let .failure(error) = Parser.parse(data) as Result<QuakeFeed, CoreError> {
            throw .notAFeed(path: path, reason: "\(error)")
        }
    }
}
