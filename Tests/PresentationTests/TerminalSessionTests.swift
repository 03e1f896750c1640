import Feedback
import Foundation
import Presentation
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// On a real pseudo-terminal. Signals and the terminal's settings belong to the whole process, so one after the other.
@Suite(.serialized)
struct TerminalSessionTests {
    @Test("Keys use the screens, and the terminal is as it was afterwards")
    func session() async throws {
        let terminal = try PseudoTerminal(columns: 60, rows: 12)
        let before = terminal.settings
        let stack = ScreenStack()
        stack.push(.counter { [weak stack] _ in stack?.pop() })
        async let end = TerminalSession(stack, on: terminal.terminal, environment: ["NO_COLOR": "1"]).run()

        await terminal.shows("Count  0")
        #expect(terminal.settings != before)
        terminal.type("東\u{1B}[B")
        await terminal.shows("東")
        terminal.type("+")
        await terminal.shows("Count  1")
        terminal.type("\u{1B}")
        #expect(await end == .finished)
        #expect(terminal.settings == before)
        await terminal.shows("\u{1B}[?25h\u{1B}[?1049l")
    }

    @Test("NO_COLOR is honoured", arguments: [true, false])
    func colors(areWanted: Bool) async throws {
        let terminal = try PseudoTerminal(columns: 60, rows: 12)
        let stack = ScreenStack()
        stack.push(.counter { [weak stack] _ in stack?.pop() })
        async let end = TerminalSession(
            stack, on: terminal.terminal, environment: areWanted ? ["NO_COLOR": ""] : ["NO_COLOR": "1"]
        ).run()
        await terminal.shows("Leave")
        terminal.type("\u{1B}")
        _ = await end
        #expect(terminal.output.contains("\u{1B}[1mCounter") == areWanted)
    }

    @Test("What moves is drawn again while work is under way")
    func progress() async throws {
        let terminal = try PseudoTerminal(columns: 60, rows: 12)
        let stack = ScreenStack()
        stack.push(.counter { [weak stack] _ in stack?.pop() })
        stack.top?.use("Work")
        async let end = TerminalSession(stack, on: terminal.terminal, environment: ["NO_COLOR": "1"]).run()
        await terminal.shows("⠋ Working")
        await terminal.shows("⠙ Working")
        await terminal.shows("⠹ Working")
        terminal.type("\u{1B}")
        #expect(await end == .finished)
    }

    @Test("What is no terminal gets plain text, and its keys one by one")
    func pipes() async throws {
        let input = Pipe()
        let output = Pipe()
        let stack = ScreenStack()
        stack.push(.counter { [weak stack] _ in stack?.pop() })
        let terminal = Terminal(
            input: input.fileHandleForReading.fileDescriptor, output: output.fileHandleForWriting.fileDescriptor)
        try input.fileHandleForWriting.write(contentsOf: Data("\t++".utf8))
        try input.fileHandleForWriting.close()
        let end = await TerminalSession(stack, on: terminal, environment: [:]).run()
        try output.fileHandleForWriting.close()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(end == .left)
        #expect(!text.contains("\u{1B}"))
        for count in 0...2 { #expect(text.contains("Count  \(count)")) }
    }
}

/// Both ends of a terminal that no person sits at.
private final class PseudoTerminal: Sendable {
    private let control: Int32
    private let device: Int32
    private let written = MutableProperty("")

    var terminal: Terminal { Terminal(input: device, output: device) }

    init(columns: UInt16, rows: UInt16) throws {
        (control, device) = try Self.open()
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(device, UInt(TIOCSWINSZ), &size) == 0)
        let thread = Thread { [control, written] in
            var buffer = [UInt8](repeating: 0, count: 4_096)
            var bytes: [UInt8] = []
            while true {
                let count = read(control, &buffer, buffer.count)
                guard count > 0 else { return }
                bytes += buffer[..<count]
                written.value = String(decoding: bytes, as: UTF8.self)
            }
        }
        thread.start()
    }

    #if canImport(Glibc)
    private static func open() throws -> (control: Int32, device: Int32) {
        let control = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(control >= 0)
        // TIOCSPTLCK and TIOCGPTN, which come as macros that Swift does not read: unlock it, and ask for its number.
        var (lock, number): (Int32, UInt32) = (0, 0)
        try #require(ioctl(control, 0x4004_5431, &lock) == 0 && ioctl(control, 0x8004_5430, &number) == 0)
        let device = Glibc.open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        try #require(device >= 0)
        return (control, device)
    }
    #else
    private static func open() throws -> (control: Int32, device: Int32) {
        let control = posix_openpt(O_RDWR | O_NOCTTY)
        try #require(control >= 0 && grantpt(control) == 0 && unlockpt(control) == 0)
        let device = Darwin.open(try #require(ptsname(control)), O_RDWR | O_NOCTTY)
        try #require(device >= 0)
        return (control, device)
    }
    #endif

    deinit {
        close(device)
        close(control)
    }

    /// All that has been written so far.
    var output: String { written.value }

    /// The modes, as words to compare.
    var settings: [UInt32] {
        var settings = termios()
        tcgetattr(device, &settings)
        return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag].map { UInt32($0) }
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(write(control, bytes, bytes.count) == bytes.count)
    }

    /// Waits until the text has been written.
    func shows(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async {
        let end = ContinuousClock.now + .seconds(20)
        while !output.contains(text) {
            guard ContinuousClock.now < end else {
                Issue.record("It never shows \(text.debugDescription).", sourceLocation: sourceLocation)
                return
            }
            try? await Task.sleep(for: .milliseconds(2))
        }
    }
}
