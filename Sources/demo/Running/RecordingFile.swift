import Feedback
import Foundation
import Presentation
import Recordings

/// The file that a run is recorded in.
final class RecordingFile: Sendable {
    private let file: URL
    private let recorders = Locked<[Recorder]>([])

    /// - Parameter file: The file; `nil` gives `nil`, as nothing is recorded then.
    init?(_ file: URL?) {
        guard let file else { return nil }
        self.file = file
        Console.beforeEnd { [weak self] in try? self?.save() }
    }

    /// Begins the recording of a run.
    func recorder(of flows: [any DemoFlow], _ backend: DemoBackend, _ arguments: Arguments) -> Recorder {
        let recorder = backend.recorder(flows, arguments)
        recorders.withLock { $0.append(recorder) }
        return recorder
    }

    /// False for a device, a pipe or a link: an atomic write would put a file in its place.
    private var isReplaceable: Bool {
        (try? FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false)))
            .map { $0[.type] as? FileAttributeType == .typeRegular } ?? true
    }

    /// Writes all runs.
    ///
    /// - Returns: True if they could be written.
    func write(to console: Console) -> Bool {
        do {
            try save()
        } catch {
            Console.complain("\(FileProblem.unwritten("recording", to: file, error))")
            return false
        }
        console.print("")
        console.print("The run is recorded in \(file.path(percentEncoded: false)).")
        if recorders.withLock({ $0.contains(where: \.isFull) }) {
            console.print("The run was too long: the recording has only its beginning.", .warning)
        }
        return true
    }

    private func save() throws {
        let runs = recorders.withLock { $0 }.map { $0.run() }
        try Recording(runs: runs).data().write(to: file, options: isReplaceable ? .atomic : [])
    }
}
