import Dispatch
import Feedback
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Lets a person use a stack of screens on a terminal, with the keyboard.
///
/// ```swift
/// flow.start()
/// await TerminalSession(flow.screens).run()
/// ```
///
/// `?` explains the keys. Ctrl-Z suspends the program, and the screen is drawn again when it continues.
///
/// If the output is not a terminal, it gets plain text: each screen that differs from the one before. If the input is
/// not a terminal, its characters are taken as keys, one at a time, each when the screen shows no progress.
///
/// A session can be run again after its end. Cancelling the task that runs it ends it as if the person had left.
public final class TerminalSession: Sendable {
    /// The way in which a session ended.
    public enum End: Equatable, Sendable {
        /// No screen is left.
        case finished
        /// The person left, or the input ended.
        case left
        /// The input ended before anything had come, as it does with neither a person nor a script.
        case noInput
        /// The terminal cannot be used.
        case failed(Failure)
    }

    /// The reason why a terminal cannot be used.
    public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// Another session uses the terminal.
        case inUse
        /// The terminal does not take the mode in which it passes on single keys; `code` is the system's error number.
        case refused(code: Int32)
        /// The output can no longer be written.
        case unwritten(Terminal.WriteFailure)

        public var description: String {
            switch self {
            case .inUse: "Another session uses the terminal. End that one first."
            case let .refused(code): "The terminal does not pass on single keys: \(Terminal.WriteFailure(code: code))"
            case let .unwritten(failure): "The output cannot be written: \(failure)"
            }
        }
    }

    private enum Input: Sendable {
        case keys([TerminalInput])
        case changed, resized, tick, ended
    }

    private let screens: ScreenStack
    private let terminal: Terminal
    private let palette: Palette
    private let isRunning = Atomic(false)
    private let hasChange = Atomic(false)

    /// Makes a session.
    ///
    /// - Parameter environment: The variables in which `NO_COLOR` and `TERM` are looked up.
    public init(
        _ screens: ScreenStack, on terminal: Terminal = .standard,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.screens = screens
        self.terminal = terminal
        palette = terminal.palette(environment: environment)
    }

    /// Runs until no screen is left, or the person leaves, and restores the terminal.
    @discardableResult
    public func run() async -> End {
        guard !isRunning.exchange(true, ordering: .acquiringAndReleasing) else { return .failed(.inUse) }
        defer { isRunning.store(false, ordering: .releasing) }
        let isInteractive = terminal.isInputTerminal && terminal.isOutputTerminal
        let rawMode: RawMode?
        do throws(Failure) {
            rawMode = isInteractive ? try RawMode(terminal) : nil
        } catch {
            return .failed(error)
        }
        defer { rawMode?.end() }
        let (inputs, continuation) = AsyncStream<Input>.makeStream()
        let resizing = DispatchSource.makeSignalSource(signal: SIGWINCH)
        resizing.setEventHandler { continuation.yield(.resized) }
        resizing.activate()
        defer { resizing.cancel() }
        hasChange.store(false, ordering: .releasing)
        let changing = screens.changes.startWithValues { [weak self] _ in self?.noteChange(to: continuation) }
        defer { changing.dispose() }
        let reader = KeyReader(
            terminal,
            onInputs: { continuation.yield(.keys($0)) },
            onEnd: { continuation.yield(.ended) })
        defer { reader.stop() }
        return await handle(inputs, of: reader, sendingTo: continuation, isInteractive: isInteractive)
    }

    /// Restores the terminal if a session uses it, without waiting for the session.
    ///
    /// Call it before the program ends although a session runs, for example with `exit`. The signals of keys, of a closed
    /// terminal, of `kill` and of crashes restore the terminal without it, unless the program handles them.
    public static func restoreTerminal() { RawMode.abandon() }

    /// Notes that the screen has changed. At most one note waits at a time, however many changes there are.
    private func noteChange(to continuation: AsyncStream<Input>.Continuation) {
        if !hasChange.exchange(true, ordering: .acquiringAndReleasing) { continuation.yield(.changed) }
    }

    private func handle(
        _ inputs: AsyncStream<Input>, of reader: KeyReader, sendingTo continuation: AsyncStream<Input>.Continuation,
        isInteractive: Bool
    ) async -> End {
        var display = TerminalDisplay(terminal: terminal, palette: palette, isInteractive: isInteractive)
        var waiting: [TerminalInput] = []
        var hasInput = false
        /// True until the reader may read on, as the inputs that it has passed on are used.
        var hasUnused = false
        var inputHasEnded = false
        var isTicking = false
        for await input in inputs {
            switch input {
            case let .keys(keys):
                (waiting, hasInput, hasUnused) = (waiting + keys, true, true)
            case .ended: inputHasEnded = true
            case .resized: display.forgetFrame()
            case .tick: isTicking = false
            case .changed:
                // The screen is drawn at most as often as a person can see it change.
                try? await Task.sleep(until: display.nextDrawing)
                hasChange.store(false, ordering: .releasing)
            }
            while !waiting.isEmpty, !Task.isCancelled, let top = screens.top, isInteractive || !top.isBusy {
                display.draw(screens)
                switch display.take(waiting.removeFirst(), on: top) {
                case .stayed: break
                // Each key is for the screen that the previous key has led to, and edits the text that it shows.
                case .acted:
                    await top.settled()
                    display.finishEdits(on: top)
                case .left: return .left
                }
            }
            guard let top = screens.top else { return .finished }
            if waiting.isEmpty, hasUnused {
                hasUnused = false
                reader.readMore()
            }
            display.draw(screens)
            if let failure = display.failure { return .failed(.unwritten(failure)) }
            let isDone = isInteractive || (waiting.isEmpty && !top.isBusy)
            if inputHasEnded, isDone { return hasInput ? .left : .noInput }
            if isInteractive, top.isBusy, !isTicking {
                isTicking = true
                Task {
                    try? await Task.sleep(for: .milliseconds(100))
                    continuation.yield(.tick)
                }
            }
        }
        return .left
    }
}

extension LiveScreen {
    fileprivate var isBusy: Bool { !screen.progress.isEmpty }
}
