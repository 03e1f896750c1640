import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import Testing

@testable import Presentation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// On a real pseudo-terminal. Signals and the terminal's settings belong to the whole process, so one after the other.
@Suite(.serialized)
struct TerminalSessionTests {
    @Test("Keys use the screens, and the terminal is restored afterwards")
    func session() async throws {
        let terminal = try PseudoTerminal(columns: 60, rows: 12)
        let before = terminal.settings
        let stack = ScreenStack()
        stack.push(.counter { [weak stack] _ in stack?.pop() })
        async let end = runSession(of: stack, on: terminal)

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

    @Test("A session that runs cannot be run again, and one that has ended can")
    func runningAgain() async throws {
        let terminal = try PseudoTerminal(columns: 60, rows: 12)
        let before = terminal.settings
        let stack = ScreenStack()
        stack.push(.counter { [weak stack] _ in stack?.pop() })
        let session = TerminalSession(stack, on: terminal.terminal, environment: ["NO_COLOR": "1"])
        async let first = session.run()
        await terminal.shows("Count  0")
        #expect(await session.run() == .failed(.inUse))
        #expect(await TerminalSession(stack, on: terminal.terminal).run() == .failed(.inUse))
        #expect(terminal.settings != before)
        terminal.type("\u{3}")
        #expect(await first == .left)
        #expect(terminal.settings == before)
        async let second = session.run()
        terminal.type("\t+")
        await terminal.shows("Count  1")
        terminal.type("\u{1B}")
        #expect(await second == .finished)
        #expect(terminal.settings == before)
    }

    @Test("If the terminal refuses the mode for single keys, nothing stays armed, and a later session works")
    func refusedMode() async throws {
        let terminal = try PseudoTerminal(columns: 60, rows: 12)
        let before = terminal.settings
        #expect(throws: TerminalSession.Failure.refused(code: EIO)) {
            try RawMode(terminal.terminal) { _, _, _ in
                errno = EIO
                return -1
            }
        }
        #expect(!terminal.output.contains("\u{1B}[?1049h"))
        let mode = try RawMode(terminal.terminal)
        #expect(terminal.settings != before)
        mode.end()
        #expect(terminal.settings == before)
    }

    @Test("A session that failed says which part of the terminal cannot be used")
    func failures() {
        let failures: [TerminalSession.Failure] = [
            .inUse, .refused(code: EIO), .unwritten(.init(code: ENOSPC)),
        ]
        #expect(
            failures.map(\.description) == [
                "Another session uses the terminal. End that one first.",
                "The terminal does not pass on single keys: Input/output error.",
                "The output cannot be written: No space left on device.",
            ])
    }

    @Test("A signal that the program ignores leaves the terminal alone")
    func ignoredSignal() throws {
        let terminal = try PseudoTerminal(columns: 60, rows: 12)
        let former = signal(SIGHUP, SIG_IGN)
        defer { signal(SIGHUP, former) }
        let mode = try RawMode(terminal.terminal)
        let settings = terminal.settings
        raiseUnblocked(SIGHUP)
        #expect(terminal.settings == settings)
        mode.end()
        #expect(terminal.settings != settings)
    }

    @Test("A session that is cancelled uses no more keys")
    func cancelling() async throws {
        let (input, output) = (Pipe(), try #require(FileHandle(forWritingAtPath: "/dev/null")))
        let stack = ScreenStack()
        stack.push(.counter())
        let session = Task {
            await TerminalSession(
                stack,
                on: Terminal(input: input.fileHandleForReading.fileDescriptor, output: output.fileDescriptor)
            ).run()
        }
        let count = MutableProperty(0)
        let listening = stack.steps.startWithValues { step in
            guard case .reduced = step.step else { return }
            count.modify { $0 += 1 }
            session.cancel()
        }
        defer { listening.dispose() }
        try input.fileHandleForWriting.write(contentsOf: Data(String(repeating: "+", count: 500).utf8))
        #expect(await session.value == .left)
        #expect(count.value == 1)
        try input.fileHandleForWriting.close()
    }

    @Test("The caret moves, text is pasted, and ? explains the keys until another one is pressed")
    func editing() async throws {
        let terminal = try PseudoTerminal(columns: 60, rows: 12)
        let stack = ScreenStack()
        stack.push(.counter { [weak stack] _ in stack?.pop() })
        async let end = runSession(of: stack, on: terminal)
        await terminal.shows("Counter")
        terminal.type("Ada")
        await terminal.shows("[Ada ")
        // Two characters back, over the bar of the field.
        terminal.type("\u{1B}[D\u{1B}[D\u{1B}[200~b\n+\u{1B}[201~")
        await terminal.shows("[Ab +da ")
        terminal.type("\t?")
        await terminal.shows("On this screen")
        terminal.type(" ")
        terminal.type("+")
        await terminal.shows("Count  1")
        terminal.type("\u{1B}")
        #expect(await end == .finished)
    }

    @Test("A field whose view model refuses a text goes on with the text that it shows")
    func refusing() async throws {
        let terminal = try PseudoTerminal(columns: 60, rows: 12)
        let stack = ScreenStack()
        stack.push(LiveScreen(DigitsViewModel(), DigitsRenderer()) { [weak stack] _ in stack?.pop() })
        async let end = runSession(of: stack, on: terminal)
        await terminal.shows("Digits")
        terminal.type("1x2")
        await terminal.shows("[12 ")
        terminal.type("x\u{7F}")
        await terminal.shows("[1 ")
        terminal.type("\u{1B}")
        #expect(await end == .finished)
    }

    @Test("PageDown shows what is below")
    func scrolling() async throws {
        let terminal = try PseudoTerminal(columns: 60, rows: 12)
        let stack = ScreenStack()
        stack.push(LiveScreen(CounterViewModel(), LongRenderer()) { [weak stack] _ in stack?.pop() })
        async let end = runSession(of: stack, on: terminal)
        await terminal.shows("Line 1")
        #expect(!terminal.output.contains("Line 12"))
        terminal.type("\u{1B}[6~")
        await terminal.shows("Line 12")
        for _ in 0..<9 { terminal.type("\u{1B}[6~") }
        await terminal.shows("Line 40")
        terminal.type("\u{1B}")
        #expect(await end == .finished)
    }

    @Test("NO_COLOR is honoured", arguments: [true, false])
    func colors(areWanted: Bool) async throws {
        let terminal = try PseudoTerminal(columns: 60, rows: 12)
        let stack = ScreenStack()
        stack.push(.counter { [weak stack] _ in stack?.pop() })
        async let end = runSession(of: stack, on: terminal, noColor: areWanted ? "" : "1")
        await terminal.shows("Leave")
        terminal.type("\u{1B}")
        _ = await end
        #expect(terminal.output.contains("\u{1B}[1mCounter") == areWanted)
    }

    @Test("Progress moves while work is under way")
    func progress() async throws {
        let terminal = try PseudoTerminal(columns: 60, rows: 12)
        let stack = ScreenStack()
        stack.push(.counter { [weak stack] _ in stack?.pop() })
        stack.top?.use("Work")
        async let end = runSession(of: stack, on: terminal)
        await terminal.shows("⠋ Working")
        await terminal.shows("⠙ Working")
        await terminal.shows("⠹ Working")
        terminal.type("\u{1B}")
        #expect(await end == .finished)
    }

    @Test("Each change that comes without a key is drawn")
    func changes() async throws {
        let terminal = try PseudoTerminal(columns: 60, rows: 12)
        let stack = ScreenStack()
        stack.push(.counter { [weak stack] _ in stack?.pop() })
        async let end = runSession(of: stack, on: terminal)
        await terminal.shows("Count  0")
        for count in 1...3 {
            stack.top?.use("Increment")
            await terminal.shows("Count  \(count)")
        }
        terminal.type("\u{1B}")
        #expect(await end == .finished)
    }

    @Test("An input that ends at once is none")
    func noInput() async throws {
        let (input, output) = (Pipe(), try #require(FileHandle(forWritingAtPath: "/dev/null")))
        let stack = ScreenStack()
        stack.push(.counter())
        try input.fileHandleForWriting.close()
        let terminal = Terminal(input: input.fileHandleForReading.fileDescriptor, output: output.fileDescriptor)
        let end = await TerminalSession(stack, on: terminal, environment: [:]).run()
        withExtendedLifetime((input, output)) {}
        #expect(end == .noInput)
    }

    @Test("A pipe gets plain text, each screen once, and its keys are applied one by one")
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
        // Its descriptor is closed with it, and another test may then get the same one.
        withExtendedLifetime(input) {}
        try output.fileHandleForWriting.close()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(end == .left)
        #expect(!text.contains("\u{1B}"))
        for count in 0...2 { #expect(text.ranges(of: "Count  \(count)").count == 1) }
    }
}

/// A field that takes digits only.
private struct DigitsViewModel: ViewModel {
    enum Action: Equatable, Sendable { case edit(String), leave }
    enum Event: ActionEvent, Equatable { case ui(Action) }

    var initial: String { "" }

    static func reduce(_ state: inout String, _ event: Event) {
        if case let .ui(.edit(text)) = event, text.allSatisfy(\.isNumber) { state = text }
    }

    static func route(_ event: Event, _ state: String) -> Bool? { event == .ui(.leave) ? true : nil }
}

private struct DigitsRenderer: Renderer {
    func render(_ text: String) -> Screen<DigitsViewModel.Action> {
        Screen(
            title: "Digits", sections: [.init(rows: [.field(.init("Number", text: text, edit: { .edit($0) }))])],
            actions: [.init("Leave", key: .escape, action: .leave)])
    }
}

private struct LongRenderer: Renderer {
    func render(_ state: CounterViewModel.State) -> Screen<CounterViewModel.Action> {
        Screen(
            title: "Long", sections: [.init(rows: (1...40).map { .text("Line \($0)") })],
            actions: [.init("Leave", key: .escape, action: .leave)])
    }
}

/// Runs a session to its end, and keeps the terminal open until then.
private func runSession(
    of stack: ScreenStack, on terminal: PseudoTerminal, noColor: String = "1"
) async -> TerminalSession.End {
    let end = await TerminalSession(stack, on: terminal.terminal, environment: ["NO_COLOR": noColor]).run()
    return withExtendedLifetime(terminal) { end }
}

extension PseudoTerminal {
    /// Waits until the text has been written.
    fileprivate func shows(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async {
        #expect(await hasShown(text), "It never shows \(text.debugDescription).", sourceLocation: sourceLocation)
    }
}
