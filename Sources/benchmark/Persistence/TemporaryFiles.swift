import Feedback
import Foundation
import Persistence

/// The folder of the databases that are measured. It is removed when the command ends.
enum TemporaryFiles {
    static let folder: String = {
        let path = NSTemporaryDirectory() + "/feedback-benchmark-\(UUID().uuidString)"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(atPath: TemporaryFiles.folder) }
        return path
    }()

    static func newPath() -> String { folder + "/\(UUID().uuidString)" }

    /// Runs `body` with the path of a new file, which is removed afterwards.
    static func withNewFile(_ body: (String) async throws -> Void) async rethrows {
        let path = newPath()
        try await body(path)
        remove(path)
    }

    /// Runs `body` with the path of a new file, which is removed afterwards.
    static func withNewFile(_ body: (String) throws -> Void) rethrows {
        let path = newPath()
        try body(path)
        remove(path)
    }

    private static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}

extension SignalProducer where Error == StoreError {
    /// Returns the only value of a producer that does all its work when it is started.
    @discardableResult
    func value() throws -> Value {
        // Written and read on the same thread. Not a generic object, whose type would be looked up at each call.
        nonisolated(unsafe) var result: Result<Value, StoreError>?
        startWithResult { result = $0 }
        guard let result else { throw StoreError.cancelled }
        return try result.get()
    }
}
