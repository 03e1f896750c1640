import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A terminal that hands over each key as it is pressed, on a screen of its own.
///
/// The terminal is always restored: when this ends or is released, and also when a signal ends the program, be it
/// Ctrl-C, a wish to terminate or a crash.
final class RawMode: Sendable {
    /// The other screen; no cursor; long lines are cut off.
    private static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    static let leave = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    private let terminal: Terminal
    private let isActive = Atomic(true)

    /// `nil` if the input is not a terminal, or is raw already.
    init?(_ terminal: Terminal) {
        self.terminal = terminal
        guard Rescue.arm(terminal) else { return nil }
        terminal.write(Self.enter)
    }

    deinit { end() }

    func end() {
        guard isActive.exchange(false, ordering: .acquiringAndReleasing) else { return }
        terminal.write(Self.leave)
        Rescue.disarm()
    }
}

/// Brings the terminal back when a signal ends the program.
private enum Rescue {
    /// Puts the terminal into raw mode, and remembers how it was.
    static func arm(_ terminal: Terminal) -> Bool {
        guard isArmed == 0, tcgetattr(terminal.input, settings) == 0 else { return false }
        var raw = settings.pointee
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
        raw.c_iflag &= ~tcflag_t(ICRNL | IXON)
        withUnsafeMutableBytes(of: &raw.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
            // Ctrl-Z would leave the shell with a raw terminal.
            characters[Int(VSUSP)] = disabled
        }
        input = terminal.input
        output = terminal.output
        // Made now, since a handler must not make them.
        guard leave != nil, leaveCount > 0 else { return false }
        isArmed = 1
        for signal in signals {
            var action = sigaction()
            setHandler(&action, to: bringBack)
            sigaction(signal, &action, before + Int(signal))
        }
        return tcsetattr(terminal.input, TCSANOW, &raw) == 0
    }

    static func disarm() {
        // In this order, so that a signal in between finds less to do, and never too little.
        tcsetattr(input, TCSANOW, settings)
        isArmed = 0
        for signal in signals { sigaction(signal, before + Int(signal), nil) }
    }

    private static let signals = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP,
    ]

    /// The handler: nothing in it allocates, locks or counts references.
    private static let bringBack: @convention(c) (Int32) -> Void = { signal in
        if isArmed == 1 {
            isArmed = 0
            _ = writeBytes(output, leave, leaveCount)
            tcsetattr(input, TCSANOW, settings)
        }
        // Then do the signal's default action.
        sigaction(signal, before + Int(signal), nil)
        raise(signal)
    }
}

// What the handler reads stands in globals, as it can reach nothing else. Written before the handler is installed, by
// the one raw mode at a time.
nonisolated(unsafe) private var isArmed: sig_atomic_t = 0
nonisolated(unsafe) private var input: Int32 = 0
nonisolated(unsafe) private var output: Int32 = 0
nonisolated(unsafe) private let settings = UnsafeMutablePointer<termios>.allocate(capacity: 1)
nonisolated(unsafe) private let before = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
nonisolated(unsafe) private let leave = strdup(RawMode.leave)
private let leaveCount = RawMode.leave.utf8.count

#if canImport(Darwin)
private let disabled: UInt8 = 0xFF
private let writeBytes = Darwin.write

private func setHandler(_ action: inout sigaction, to handler: @escaping @convention(c) (Int32) -> Void) {
    action.__sigaction_u.__sa_handler = handler
}
#else
private let disabled: UInt8 = 0
#if canImport(Glibc)
private let writeBytes = Glibc.write
#else
private let writeBytes = Musl.write
#endif

private func setHandler(_ action: inout sigaction, to handler: @escaping @convention(c) (Int32) -> Void) {
    action.__sigaction_handler.sa_handler = handler
}
#endif
