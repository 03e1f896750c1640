import Foundation

/// A process that the tests start, with its output. (Foundation's own `Process` leaks a little, which would hide our leaks.)
struct ChildProcess {
    struct CannotStart: Error {
        let path: String
        let code: Int32
    }

    let identifier: pid_t
    /// The reading end of the pipe that takes its output. (`FileHandle` traps when a signal interrupts its reads.)
    private let output: Descriptor

    init(_ path: String, _ arguments: [String]) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw CannotStart(path: path, code: errno) }
        // Other children must not hold these ends open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, path, &actions, nil, &words, environ)
        close(ends[1])
        output = Descriptor(ends[0])
        guard code == 0 else { throw CannotStart(path: path, code: code) }
        self.identifier = identifier
    }

    /// Waits for more output; empty at its end.
    func more() -> Data { output.read() }

    /// All the rest of the output.
    func rest() -> Data {
        var all = Data()
        while case let more = output.read(), !more.isEmpty { all += more }
        return all
    }

    /// Waits for the end; the signal that ended the process, or nil if it ended by itself.
    func wait() -> Int32? {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? nil : signal
    }

    /// A file descriptor that is closed when nothing refers to it any more.
    private final class Descriptor: Sendable {
        private let number: Int32

        init(_ number: Int32) { self.number = number }

        deinit { close(number) }

        /// Waits for bytes; empty at the end.
        func read() -> Data {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = Foundation.read(number, &bytes, bytes.count)
                if count < 0, errno == EINTR { continue }
                return Data(bytes.prefix(max(0, count)))
            }
        }
    }
}
