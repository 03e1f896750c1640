import Feedback
import Foundation
import Presentation
import Recordings

/// The file that a run is recorded in.
final class RecordingFile: Sendable {
    private let file: URL
    private let recorders = Locked<[Recorder]>([])

    /// - Parameter file: The file; there is no recording without one.
    init?(_ file: URL?) {
        guard let file else { return nil }
        self.file = file
    }

    /// Begins the recording of a run.
    func recorder(of flows: [any DemoFlow], _ backend: DemoBackend, _ arguments: Arguments) -> Recorder {
        let recorder = backend.recorder(flows, arguments)
        recorders.withLock { $0.append(recorder) }
        return recorder
    }

    /// Writes all runs.
    ///
    /// - Returns: Whether they could be written.
    func write(to console: Console) -> Bool {
        let recorders = recorders.withLock { $0 }
        do {
            try Recording(runs: recorders.map { $0.run() }).data().write(to: file, options: .atomic)
        } catch {
            Console.complain("The recording could not be written to \(file.path(percentEncoded: false)). \(error)")
            return false
        }
        console.print("")
        console.print("The run is recorded in \(file.path(percentEncoded: false)).")
        if recorders.contains(where: \.isFull) {
            console.print("It was too long: the recording holds only its beginning.", .warning)
        }
        return true
    }
}
