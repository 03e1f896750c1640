import ChildProcesses
import FeedbackTesting
import Fixtures
import Foundation
import Recordings
import Testing

/// The demo in the hands of a person.
@Suite(.serialized)
struct TerminalTests {
    @Test("A person gets from the list to the confirmation with the keyboard alone")
    func keyboard() async throws {
        let terminal = try PseudoTerminal(columns: 90, rows: 24)
        let before = terminal.settings
        let running = try Running("cities", "--interactive", at: terminal)
        #expect(await terminal.hasShown("London"))
        terminal.type("\r")
        #expect(await terminal.hasShown("Delivery to London"))
        terminal.type("Sherlock Holmes\t221B Baker Street\tNW1 6XE\u{F}")
        #expect(await terminal.hasShown("Your delivery is on its way."))
        running.process.kill(SIGTERM)
        #expect(await running.end() == .signal(SIGTERM))
        #expect(terminal.settings == before)
    }

    @Test("Ctrl-C leaves the program, which keeps what it has recorded")
    func leaving() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let terminal = try PseudoTerminal(columns: 90, rows: 24)
        let before = terminal.settings
        let running = try Running("cities", "--interactive", "--record", file.path(), at: terminal)
        #expect(await terminal.hasShown("London"))
        terminal.type("\u{3}")
        #expect(await running.end() == .exit(0))
        #expect(try Recording(contentsOf: file).runs.count == 1)
        #expect(terminal.settings == before)
    }

    @Test("A signal that ends the program keeps what it has recorded", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signalled(signal: Int32) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let terminal = try PseudoTerminal(columns: 90, rows: 24)
        let before = terminal.settings
        let running = try Running("cities", "--interactive", "--record", file.path(), at: terminal)
        #expect(await terminal.hasShown("London"))
        terminal.type("\r")
        #expect(await terminal.hasShown("Delivery to London"))
        running.process.kill(signal)
        #expect(await running.end() == .signal(signal))
        #expect(try Recording(contentsOf: file).runs[0].entries.contains(.act(.uses("London"))))
        #expect(terminal.settings == before)
    }

    @Test("A script that a signal ends keeps what it has recorded", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signalledScript(signal: Int32) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let running = try Running("cities", "--latency", "60000", "--record", file.path())
        await eventually("the flow has begun") { running.output.contains("Loading the cities") }
        running.process.kill(signal)
        #expect(await running.end() == .signal(signal))
        #expect(try Recording(contentsOf: file).runs.first?.entries.isEmpty == false)
    }

    @Test("A recording of a script is kept if nobody reads its output any more")
    func closedPipe() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let process = try ChildProcess(
            builtProgram("demo"), ["cities", "--latency", "200", "--record", file.path()], errors: .pipe)
        while let line = process.output.line(), !line.contains("Loading the cities") {}
        process.output.close()
        #expect(await process.end() == .signal(SIGPIPE))
        #expect(process.errors.rest().isEmpty)
        #expect(try Recording(contentsOf: file).runs.first?.entries.isEmpty == false)
    }

    @Test("A recording is kept if the output can no longer be written")
    func fullOutput() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let running = try Running(
            ["cities", "--interactive", "--record", file.path()], keys: "\r", output: .file("/dev/full"))
        #expect(await running.end() != .exit(0))
        #expect(running.errors.contains("The output cannot be written: No space left on device."))
        #expect(try Recording(contentsOf: file).runs.count == 1)
    }

    @Test("PageDown scrolls, also where a key loads more")
    func scrolling() async throws {
        let terminal = try PseudoTerminal(columns: 80, rows: 20)
        let running = try Running("movies", "--interactive", at: terminal)
        #expect(await terminal.hasShown("Metropolis"))
        terminal.type("\u{1B}[6~")
        #expect(await terminal.hasShown("↑ "))
        running.process.kill(SIGTERM)
        #expect(await running.end() == .signal(SIGTERM))
    }

    #if os(Linux)
    @Test("Suspended, it gives the terminal back; continued, it takes it again and draws")
    func suspending() async throws {
        let terminal = try PseudoTerminal(columns: 90, rows: 24)
        let before = terminal.settings
        let running = try Running("cities", "--interactive", at: terminal)
        #expect(await terminal.hasShown("London"))
        let id = running.process.identifier
        running.process.kill(SIGTSTP)
        await eventually("the program is stopped") { isStopped(id) }
        #expect(terminal.settings == before)
        await eventually("its last words have been read") { terminal.output.hasSuffix("\u{1B}[?1049l") }
        let length = terminal.output.count
        running.process.kill(SIGCONT)
        await eventually("the screen is drawn again") { terminal.output.dropFirst(length).contains("London") }
        #expect(terminal.settings != before)
        running.process.kill(SIGTERM)
        #expect(await running.end() == .signal(SIGTERM))
        #expect(terminal.settings == before)
    }

    private func isStopped(_ id: Int32) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
        return status?.split(separator: ")").last?.hasPrefix(" T") == true
    }
    #endif

    @Test("However it ends, the terminal is as it was", arguments: [SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGABRT])
    func restoring(signal: Int32) async throws {
        let terminal = try PseudoTerminal(columns: 90, rows: 24)
        let before = terminal.settings
        let running = try Running("cities", "--interactive", at: terminal)
        #expect(await terminal.hasShown("London"))
        #expect(terminal.settings != before)
        running.process.kill(signal)
        // The signal itself, or the exit code with which a sanitizer ends the process.
        #expect(await running.end() != .exit(0))
        #expect(terminal.settings == before)
        #expect(await terminal.hasShown("\u{1B}[?25h\u{1B}[?1049l"))
    }
}
