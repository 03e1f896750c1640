import Feedback
import Foundation
import Presentation

/// The output of the demo: a terminal with colours, or a file or pipe without. Control characters in texts are
/// replaced.
struct Console: Sendable {
    let width: Int
    private let palette: Palette
    private let write: @Sendable (String) -> Void

    /// The standard output.
    static func standardOutput(environment: [String: String] = ProcessInfo.processInfo.environment) -> Console {
        let terminal = Terminal.standard
        return Console(
            width: terminal.isOutputTerminal ? min(100, terminal.size.columns) : 80,
            palette: terminal.palette(environment: environment),
            write: { text in
                do throws(Terminal.WriteFailure) { try terminal.write(text) } catch { end(after: error) }
            })
    }

    /// A console that writes to a file, in place of what the file held.
    ///
    /// - Parameter onFailure: Called with each failure to write.
    static func file(_ url: URL, onFailure: @escaping @Sendable (any Error) -> Void) throws -> Console {
        try Data().write(to: url)
        let file = try FileHandle(forWritingTo: url)
        return Console(
            width: 100,
            write: { text in
                do { try file.write(contentsOf: Data(text.utf8)) } catch { onFailure(error) }
            })
    }

    /// Work to do before the program ends because its output cannot be written.
    private static let lastWork = Locked<(@Sendable () -> Void)?>(nil)

    /// Has `work` done, once, if the program must end because its output cannot be written. It must not print.
    static func beforeEnd(_ work: @escaping @Sendable () -> Void) { lastWork.withLock { $0 = work } }

    /// Ends the program, because its output cannot be written.
    private static func end(after failure: Terminal.WriteFailure) -> Never {
        // Under the lock, so that another thread whose output fails does not end the program meanwhile.
        lastWork.withLock { work in
            work?()
            work = nil
        }
        // A reader that has seen enough, such as `head`, is not a failure to complain of.
        if failure.code == EPIPE { Interruption.end(by: SIGPIPE) }
        complain("The output cannot be written: \(failure) Free some space, or write it elsewhere.")
        exit(DemoCommand.Code.output)
    }

    init(width: Int = 80, palette: Palette = .plain, write: @escaping @Sendable (String) -> Void) {
        self.width = max(40, width)
        self.palette = palette
        self.write = write
    }

    /// Writes one line about a failure to the standard error. If that is closed or full, the exit code tells alone.
    static func complain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("demo: \(text.safeLine)\n".utf8))
    }

    func print(_ line: StyledLine) { print([line]) }

    /// Prints a text of any number of lines.
    func print(_ text: String, _ role: StyledLine.Role = .plain) {
        print(text.safeLines.map { StyledLine($0, role) })
    }

    /// Writes all lines at once, so that those of another thread do not come between them.
    private func print(_ lines: [StyledLine]) { write(lines.map { palette.paint($0) + "\n" }.joined()) }
}
