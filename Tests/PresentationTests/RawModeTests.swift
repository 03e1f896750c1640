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

    @Test("A program that its own handler of Ctrl-Z does not suspend takes the terminal again at once")
    func ownHandler() async {
        await #expect(processExitsWith: .success) {
            let device = try PseudoTerminal(columns: 60, rows: 12)
            let before = device.settings
            signal(SIGTSTP) { _ in }
            let raw = try RawMode(device.terminal)
            let during = device.settings
            #expect(during != before)
            raiseUnblocked(SIGTSTP)
            try #require(device.settings == during)
            #expect(await device.hasShown(RawMode.leave + RawMode.enter))
            raw.end()
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
