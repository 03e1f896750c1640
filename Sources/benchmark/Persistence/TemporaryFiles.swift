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
}

extension SignalProducer where Error == StoreError {
    /// Returns the only value of a producer that does all its work when it is started.
    @discardableResult
    func value() throws -> Value {
        let box = Box<Value>()
        startWithResult { box.result = $0 }
        guard let result = box.result else { throw StoreError.cancelled }
        return try result.get()
    }
}

private final class Box<Value>: @unchecked Sendable {
    // Written and read on the same thread.
    var result: Result<Value, StoreError>?
}
