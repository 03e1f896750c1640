import ChildProcesses
import FeedbackTesting
import Fixtures
import Foundation
import Synchronization
import Testing

@testable import Presentation

/// Each in a process of its own.
struct RawModeTests {
    @Test("A signal that ends the program brings the terminal back, and ends it")
    func ending() async {
        let result = await #expect(
            processExitsWith: .signal(SIGTERM), observing: [\.standardOutputContent]
        ) {
            let device = try PseudoTerminal(columns: 60, rows: 12)
            let raw = try RawMode(Terminal(input: device.terminal.input, output: STDOUT_FILENO))
            kill(getpid(), SIGTERM)
            // The signal ends it before.
            sleep(60)
            withExtendedLifetime((device, raw)) {}
        }
        let written = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(written.contains(RawMode.enter + RawMode.leave))
    }

    @Test("Each key is passed on at once, and after the end signals act as before")
    func settings() async {
        await #expect(processExitsWith: .success) {
            let device = try PseudoTerminal(columns: 60, rows: 12)
            let raw = try RawMode(device.terminal)
            var settings = termios()
            #expect(tcgetattr(device.terminal.input, &settings) == 0)
            withUnsafeBytes(of: settings.c_cc) { characters in
                #expect(characters[Int(VMIN)] == 1 && characters[Int(VTIME)] == 0)
            }
            raw.end()
            for number in [SIGTERM, SIGTSTP, SIGCONT] {
                let handler = signal(number, SIG_DFL)
                #expect(unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_DFL, to: Int.self))
            }
        }
    }

    @Test("A program that is suspended gives the terminal back, and takes it again when it goes on")
    func suspension() async {
        await #expect(processExitsWith: .success) {
            let device = try PseudoTerminal(columns: 60, rows: 12)
            let before = device.settings
            let raw = try RawMode(device.terminal)
            let during = device.settings
            // Another process lets this one go on, until it has ended. It is never released, which would kill it: the last signal
            // to stop may arrive late.
            let script = "while kill -CONT \(getpid()) 2>/dev/null; do sleep 0.05; done"
            _ = Unmanaged.passRetained(try ChildProcess("/bin/sh", ["-c", script]))
            // A signal to go on takes away one to stop that has not arrived, so several are sent.
            await eventually("it has given the terminal back and taken it again") {
                kill(getpid(), SIGTSTP)
                return device.output.contains(RawMode.leave + RawMode.enter)
            }
            await eventually("the terminal is raw again") { during != before && device.settings == during }
            raw.end()
            #expect(device.settings == before)
        }
    }

    @Test("A program that its own handler of Ctrl-Z does not suspend takes the terminal again at once, each time")
    func ownHandler() async {
        await #expect(processExitsWith: .success) {
            let device = try PseudoTerminal(columns: 60, rows: 12)
            let before = device.settings
            device.countRestored(at: SIGTSTP)
            signal(SIGWINCH) { _ in isToBeDrawn.store(true, ordering: .sequentiallyConsistent) }
            let raw = try RawMode(device.terminal)
            let during = device.settings
            #expect(during != before)
            for count in 1...2 {
                isToBeDrawn.store(false, ordering: .sequentiallyConsistent)
                raiseUnblocked(SIGTSTP)
                try #require(device.settings == during)
                // The handler has found the terminal as it was before the mode.
                #expect(restoredCount.load(ordering: .sequentiallyConsistent) == count)
                let switches = String(repeating: RawMode.leave + RawMode.enter, count: count)
                #expect(await device.hasShown(RawMode.enter + switches))
                await eventually("the screen is to be drawn") { isToBeDrawn.load(ordering: .sequentiallyConsistent) }
            }
            raw.end()
        }
    }

    @Test("A program whose own handler lets it go on after a signal has its terminal back")
    func ownEnding() async {
        await #expect(processExitsWith: .success) {
            let device = try PseudoTerminal(columns: 60, rows: 12)
            let before = device.settings
            device.countRestored(at: SIGTERM)
            let raw = try RawMode(device.terminal)
            #expect(device.settings != before)
            for count in 1...2 {
                raiseUnblocked(SIGTERM)
                #expect(restoredCount.load(ordering: .sequentiallyConsistent) == count)
                #expect(device.settings == before)
            }
            try device.terminal.write("on")
            #expect(await device.hasShown("on"))
            #expect(device.output == RawMode.enter + RawMode.leave + "on")
            withExtendedLifetime(raw) {}
        }
    }

    @Test("A program that ends at once restores the terminal, and does so once")
    func abandoning() async {
        await #expect(processExitsWith: .success) {
            let device = try PseudoTerminal(columns: 60, rows: 12)
            let before = device.settings
            let raw = try RawMode(device.terminal)
            #expect(device.settings != before)
            for _ in 0..<2 { TerminalSession.restoreTerminal() }
            #expect(device.settings == before)
            try device.terminal.write("on")
            #expect(await device.hasShown("on"))
            #expect(device.output == RawMode.enter + RawMode.leave + "on")
            withExtendedLifetime(raw) {}
        }
    }

    @Test("If no session uses the terminal, restoring it changes nothing")
    func unused() async {
        await #expect(processExitsWith: .success) {
            let device = try PseudoTerminal(columns: 60, rows: 12)
            let before = device.settings
            dup2(device.terminal.output, STDIN_FILENO)
            TerminalSession.restoreTerminal()
            #expect(device.settings == before)
            try device.terminal.write("on")
            #expect(await device.hasShown("on"))
            #expect(device.output == "on")
        }
    }

    @Test("A terminal that takes no output does not keep a program from ending")
    func fullTerminal() async {
        await #expect(processExitsWith: .success) {
            let device = try PseudoTerminal(columns: 60, rows: 12)
            let before = device.settings
            let pipe = Pipe()
            let output = pipe.fileHandleForWriting.fileDescriptor
            let raw = try RawMode(Terminal(input: device.terminal.input, output: output))
            _ = fcntl(output, F_SETFL, O_NONBLOCK)
            for size in [65_536, 1] {
                let bytes = [UInt8](repeating: 0, count: size)
                while write(output, bytes, size) > 0 {}
            }
            _ = fcntl(output, F_SETFL, 0)
            TerminalSession.restoreTerminal()
            #expect(device.settings == before)
            // Makes room for the end of the mode.
            _ = try pipe.fileHandleForReading.read(upToCount: 4_096)
            raw.end()
        }
    }

    @Test("An input that is not a terminal is refused, and a terminal can be used after that")
    func noTerminal() async {
        await #expect(processExitsWith: .success) {
            let pipe = Pipe()
            let noTerminal = Terminal(input: pipe.fileHandleForReading.fileDescriptor, output: STDOUT_FILENO)
            #expect(throws: TerminalSession.Failure.refused(code: ENOTTY)) { _ = try RawMode(noTerminal) }
            let device = try PseudoTerminal(columns: 60, rows: 12)
            try RawMode(device.terminal).end()
        }
    }

    @Test("A mode that ends while its program is suspended leaves Ctrl-Z as it was")
    func endedWhileSuspended() async {
        await #expect(processExitsWith: .success) {
            let device = try PseudoTerminal(columns: 60, rows: 12)
            // A handler that suspends the program until the mode has ended.
            signal(SIGTSTP) { _ in
                isSuspended.store(true, ordering: .sequentiallyConsistent)
                while isSuspended.load(ordering: .sequentiallyConsistent) { sched_yield() }
            }
            let own = unsafeBitCast(signal(SIGTSTP, SIG_DFL), to: Int.self)
            signal(SIGTSTP, unsafeBitCast(own, to: (@convention(c) (Int32) -> Void).self))
            let raw = try RawMode(device.terminal)
            Thread.detachNewThread {
                while !isSuspended.load(ordering: .sequentiallyConsistent) { sched_yield() }
                raw.end()
                isSuspended.store(false, ordering: .sequentiallyConsistent)
            }
            raiseUnblocked(SIGTSTP)
            #expect(unsafeBitCast(signal(SIGTSTP, SIG_DFL), to: Int.self) == own)
        }
    }
}

private let isSuspended = Atomic(false)
private let isToBeDrawn = Atomic(false)
/// The descriptor of the terminal that a handler looks at, and how often the terminal was in the usual mode then.
private let watched = Atomic<Int32>(-1)
private let restoredCount = Atomic(0)

extension PseudoTerminal {
    /// Installs a handler of a signal that counts in ``restoredCount`` if the terminal is in the usual mode, in which it
    /// echoes what is typed.
    fileprivate func countRestored(at number: Int32) {
        watched.store(terminal.input, ordering: .sequentiallyConsistent)
        signal(number) { _ in
            var settings = termios()
            tcgetattr(watched.load(ordering: .sequentiallyConsistent), &settings)
            guard settings.c_lflag & tcflag_t(ECHO) != 0 else { return }
            restoredCount.add(1, ordering: .sequentiallyConsistent)
        }
    }
}

/// Raises a signal on this thread, which may be one of Dispatch's: they block signals.
func raiseUnblocked(_ signal: Int32) {
    var signals = sigset_t()
    var before = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, signal)
    pthread_sigmask(SIG_UNBLOCK, &signals, &before)
    raise(signal)
    pthread_sigmask(SIG_SETMASK, &before, nil)
}
