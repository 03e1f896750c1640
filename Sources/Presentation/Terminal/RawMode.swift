import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The mode of a terminal in which it passes on each key as it is pressed, and shows a second screen.
///
/// The terminal is always restored: when this ends or is released, when Ctrl-Z suspends the program (until it
/// continues), and also when a signal ends the program, such as SIGTERM or a crash. Ctrl-C sends no signal: it is a key.
final class RawMode: Sendable {
    /// The other screen; no cursor; long lines are cut off; pasted text is marked as such.
    static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h"
    static let leave = "\u{1B}[?2004l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    private let terminal: Terminal
    private let isActive = Atomic(true)

    /// Fails if the input is not a terminal, or does not take the mode, or if a terminal is in it already.
    ///
    /// - Parameter set: Sets the terminal's settings.
    init(_ terminal: Terminal, set: SetSettings = { tcsetattr($0, $1, $2) }) throws(TerminalSession.Failure) {
        // Before the last property is set: what is thrown after that calls `deinit`, which would end the mode of another.
        try Rescue.arm(terminal, set)
        self.terminal = terminal
        try? terminal.write(Self.enter)
    }

    typealias SetSettings = (_ input: Int32, _ time: Int32, _ settings: UnsafePointer<termios>) -> Int32

    deinit { end() }

    func end() {
        guard isActive.exchange(false, ordering: .acquiringAndReleasing) else { return }
        try? terminal.write(Self.leave)
        Rescue.disarm()
    }

    /// Restores the terminal for a program that ends at once: a mode that is stuck cannot be ended in order.
    static func abandon() { Rescue.giveBack() }
}

/// Brings the terminal back when a signal ends or suspends the program.
private enum Rescue {
    /// Puts the terminal into raw mode, and remembers its settings.
    static func arm(_ terminal: Terminal, _ set: RawMode.SetSettings) throws(TerminalSession.Failure) {
        guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else { throw .inUse }
        guard tcgetattr(terminal.input, settings) == 0 else {
            let code = errno
            isTaken.store(false, ordering: .releasing)
            throw .refused(code: code)
        }
        raw.pointee = settings.pointee
        raw.pointee.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
        raw.pointee.c_iflag &= ~tcflag_t(ICRNL | IXON)
        withUnsafeMutableBytes(of: &raw.pointee.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
            characters[Int(VINTR)] = cc_t(truncatingIfNeeded: fpathconf(terminal.input, Int32(_PC_VDISABLE)))
        }
        input = terminal.input
        output = terminal.output
        // Initialized now, because a signal handler must not allocate.
        _ = (leave, leaveCount, enter, enterCount)
        isArmed.store(true, ordering: .releasing)
        for signal in endings { install(bringBack, for: signal) }
        install(suspend, for: SIGTSTP)
        install(resume, for: SIGCONT)
        guard set(terminal.input, TCSANOW, raw) == 0 else {
            let code = errno
            disarm()
            throw .refused(code: code)
        }
    }

    static func disarm() {
        // Before, as a signal that ends the program in between restores the terminal only while this is armed; and after, as the
        // signals that suspend and resume the program make the terminal raw again while this is armed.
        tcsetattr(input, TCSANOW, settings)
        isArmed.store(false, ordering: .releasing)
        tcsetattr(input, TCSANOW, settings)
        for signal in endings + [SIGTSTP, SIGCONT] where isInstalled[Int(signal)] {
            isInstalled[Int(signal)] = false
            sigaction(signal, before + Int(signal), nil)
        }
        isTaken.store(false, ordering: .releasing)
    }

    private static let endings = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP,
    ]

    // Nothing in these handlers allocates, locks or counts references.

    /// Restores the terminal, once.
    static func giveBack() {
        guard isArmed.exchange(false, ordering: .acquiringAndReleasing) else { return }
        tcsetattr(input, TCSANOW, settings)
        // A terminal that takes no output must not keep the program from ending.
        var ready = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        if poll(&ready, 1, 0) == 1 { _ = writeBytes(output, leave, leaveCount) }
    }

    private static let bringBack: @convention(c) (Int32) -> Void = { signal in
        giveBack()
        // Then the action that was installed before, usually the default one.
        sigaction(signal, before + Int(signal), nil)
        raise(signal)
    }

    /// Restores the terminal for the shell, and suspends the program.
    private static let suspend: @convention(c) (Int32) -> Void = { signal in
        let error = errno
        defer { errno = error }
        if isArmed.load(ordering: .acquiring) {
            _ = writeBytes(output, leave, leaveCount)
            tcsetattr(input, TCSANOW, settings)
        }
        // The signal is blocked until this handler returns. Unblocking it stops the program here, by the former action.
        var replaced = sigaction()
        sigaction(signal, before + Int(signal), &replaced)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, signal)
        raise(signal)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        sigaction(signal, &replaced, nil)
        // The mode may have ended meanwhile, on another thread.
        if !isArmed.load(ordering: .sequentiallyConsistent) { sigaction(signal, before + Int(signal), nil) }
        resume(SIGCONT)
    }

    /// Takes the terminal again, and has the screen drawn as after a change of its size.
    private static let resume: @convention(c) (Int32) -> Void = { _ in
        guard isArmed.load(ordering: .acquiring) else { return }
        let error = errno
        defer { errno = error }
        tcsetattr(input, TCSANOW, raw)
        _ = writeBytes(output, enter, enterCount)
        kill(getpid(), SIGWINCH)
    }

    private static func install(_ handler: @escaping @convention(c) (Int32) -> Void, for signal: Int32) {
        let former = before + Int(signal)
        // A program goes on after a signal that it ignores, or that it handles in another way, and keeps its terminal.
        guard sigaction(signal, nil, former) == 0, !isIgnored(former.pointee) else { return }
        var action = sigaction()
        setHandler(&action, to: handler)
        action.sa_flags = SA_RESTART
        isInstalled[Int(signal)] = sigaction(signal, &action, nil) == 0
    }
}

// The handlers read globals, as a C function can capture nothing. They are written before the handlers are installed,
// by the only raw mode at that time.
/// True from before the mode begins until after it has ended.
private let isTaken = Atomic(false)
/// Read by the handlers, on whichever thread they run.
private let isArmed = Atomic(false)
nonisolated(unsafe) private var input: Int32 = 0
nonisolated(unsafe) private var output: Int32 = 0
nonisolated(unsafe) private let settings = UnsafeMutablePointer<termios>.allocate(capacity: 1)
nonisolated(unsafe) private let raw = UnsafeMutablePointer<termios>.allocate(capacity: 1)
nonisolated(unsafe) private let before = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
/// True for the signals whose handlers are installed.
nonisolated(unsafe) private let isInstalled: UnsafeMutablePointer<Bool> = {
    let flags = UnsafeMutablePointer<Bool>.allocate(capacity: 65)
    flags.initialize(repeating: false, count: 65)
    return flags
}()
nonisolated(unsafe) private let leave = strdup(RawMode.leave)
private let leaveCount = RawMode.leave.utf8.count
nonisolated(unsafe) private let enter = strdup(RawMode.enter)
private let enterCount = RawMode.enter.utf8.count

#if canImport(Darwin)
private let writeBytes = Darwin.write

private func setHandler(_ action: inout sigaction, to handler: @escaping @convention(c) (Int32) -> Void) {
    action.__sigaction_u.__sa_handler = handler
}

private func isIgnored(_ action: sigaction) -> Bool {
    unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
}
#else
#if canImport(Glibc)
private let writeBytes = Glibc.write
#else
private let writeBytes = Musl.write
#endif

private func setHandler(_ action: inout sigaction, to handler: @escaping @convention(c) (Int32) -> Void) {
    action.__sigaction_handler.sa_handler = handler
}

private func isIgnored(_ action: sigaction) -> Bool {
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
}
#endif
