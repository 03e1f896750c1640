import CSpawn
import Foundation

/// A program that a test has started.
///
/// ```swift
/// let process = try ChildProcess("/bin/cat", input: .pipe)
/// try process.input.write("Hello\n")
/// #expect(process.output.line() == "Hello")
/// process.kill(SIGTERM)
/// #expect(process.wait() == .signal(SIGTERM))
/// ```
///
/// The child gets its standard streams and no other open file. It starts in a process group of its own, with the default action for
/// each signal and none of them blocked. It is killed when nothing refers to it any more.
///
/// Tests do not use Foundation's `Process`: on Linux it reads beyond a buffer if more than about 1,350 files are open.
public final class ChildProcess: Sendable {
    public enum Stream: Sendable {
        case pipe
        case file(String)
        /// A file that is open in this process.
        case descriptor(Int32)

        /// No input, or output that nobody reads.
        public static let null = Stream.file("/dev/null")
    }

    public enum Ending: Equatable, Sendable {
        /// By itself, with this code.
        case exit(Int32)
        /// By this signal.
        case signal(Int32)
    }

    public struct CannotStart: Error, CustomStringConvertible {
        let path: String
        let code: Int32

        public var description: String { "The program \(path) cannot be started: \(String(cString: strerror(code)))." }
    }

    public let identifier: pid_t
    /// Writes to the child's standard input, if it is a pipe.
    public let input: PipeWriter
    /// Reads the child's standard output, if it is a pipe.
    public let output: PipeReader
    /// Reads the child's standard error, if it is a pipe.
    public let errors: PipeReader
    private let life: ChildLife

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - environment: Variables that the child has besides those of this process.
    ///   - folder: The folder in which the child works, if it is not that of this process.
    public init(
        _ path: String, _ arguments: [String] = [], environment: [String: String] = [:], folder: String? = nil,
        input: Stream = .null, output: Stream = .pipe, errors: Stream = .descriptor(STDERR_FILENO)
    ) throws {
        do {
            let (input, output, errors) = (
                try StreamEnds(input, isInput: true), try StreamEnds(output), try StreamEnds(errors)
            )
            identifier = try Self.spawn(
                path, arguments, environment, folder, [input.child.number, output.child.number, errors.child.number])
            self.input = PipeWriter(input.own)
            self.output = PipeReader(output.own)
            self.errors = PipeReader(errors.own)
            life = ChildLife(of: identifier)
        } catch let error as POSIXError {
            throw CannotStart(path: path, code: error.code.rawValue)
        }
    }

    deinit { kill(SIGKILL) }

    /// Sends a signal, unless the child has ended.
    public func kill(_ signal: Int32) { life.kill(signal) }

    public var isRunning: Bool { life.ending == nil }

    /// Blocks the thread until the child has ended.
    @discardableResult
    public func wait() -> Ending { life.wait() }

    /// Waits until the child has ended.
    @discardableResult
    public func end() async -> Ending {
        await withCheckedContinuation { continuation in life.whenEnded { continuation.resume(returning: $0) } }
    }

    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String: String], _ folder: String?, _ streams: [Int32]
    ) throws -> pid_t {
        #if canImport(Darwin)
        var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?)
        #else
        var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (number, descriptor) in streams.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        if let folder { feedback_spawn_change_folder(&actions, folder) }
        var flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        #if canImport(Darwin)
        flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
        #endif
        feedback_spawn_close_files(&actions, 3)
        // A thread of Dispatch blocks signals, and this process may ignore some.
        var (all, none) = (sigset_t(), sigset_t())
        sigfillset(&all)
        sigdelset(&all, SIGKILL)
        sigdelset(&all, SIGSTOP)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        var settings = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { for word in words + settings { free(word) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, path, &actions, &attributes, &words, &settings)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
        return identifier
    }
}
