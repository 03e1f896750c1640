import Feedback
import Foundation
import Presentation

/// Lets a person use the flows with the keyboard.
struct InteractiveRun: Sendable {
    let arguments: Arguments
    let flows: [any DemoFlow]
    let console: Console

    /// - Returns: True if it could be started.
    func run() async -> Bool {
        // The log is printed afterwards: until then the terminal shows the screens.
        let logged = Locked<[String]>([])
        guard
            let backend = await DemoBackend.start(
                arguments, flows: flows, log: { line in logged.withLock { $0.append(line) } })
        else { return false }
        let recording = RecordingFile(arguments.record)
        let recorder = recording?.recorder(of: flows, backend, arguments)
        let materials = backend.materials(arguments, recorder: recorder)
        let screens = ScreenStack()
        let unwritten = Locked<FileProblem?>(nil)
        let reporting: ScopedDisposable
        do throws(FileProblem) {
            reporting = ScopedDisposable(
                try report(screens) { problem in unwritten.withLock { $0 = $0 ?? problem } })
        } catch {
            Console.complain("\(error)")
            await backend.stop()
            return false
        }
        defer { reporting.dispose() }
        recorder?.follow(screens)
        let controller = flows.makeController(materials, on: screens)
        controller.start()
        let (end, signal) = await Interruption.cancelling { await TerminalSession(screens).run() }
        await backend.stop()
        // Before anything is printed: the terminal may be closed, and then nothing can be.
        let isWritten = end == .noInput || recording?.write(to: console) ?? true
        for line in logged.withLock({ $0 }) { console.print(line, .faint) }
        let problem = unwritten.withLock { $0 }
        if let problem { Console.complain("\(problem)") }
        if let signal { Interruption.end(by: signal) }
        switch end {
        case .finished, .left: return isWritten && problem == nil
        case .noInput:
            Console.complain(
                "--interactive needs a terminal, or keys on the standard input. Leave it out for a script.")
        case let .failed(failure):
            Console.complain("\(failure)")
        }
        return false
    }

    /// Writes each event and what it changes to the file of `--states`, from now on.
    ///
    /// - Parameter onFailure: Called with each failure to write.
    private func report(
        _ screens: ScreenStack, onFailure: @escaping @Sendable (FileProblem) -> Void
    ) throws(FileProblem) -> any Disposable {
        guard let file = arguments.states else { return AnyDisposable() }
        let console: Console
        do {
            console = try .file(file) { onFailure(.unwritten("states", to: file, $0)) }
        } catch {
            throw .unwritten("states", to: file, error)
        }
        let report = Report(console)
        return screens.steps.startWithValues { report.tell($0, on: screens) }
    }
}
