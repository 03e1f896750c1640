import Feedback
import Foundation
import Presentation

/// Lets a person use the flows with the keyboard.
struct InteractiveRun: Sendable {
    let arguments: Arguments
    let flows: [any DemoFlow]
    let console: Console

    /// - Returns: Whether it could be started.
    func run() async -> Bool {
        // The log is printed afterwards: until then the terminal shows the screens.
        let logged = Locked<[String]>([])
        let backend: DemoBackend
        do {
            backend = try await DemoBackend.start(
                arguments, flows: flows, log: { line in logged.withLock { $0.append(line) } })
        } catch {
            Console.complain("The backend could not be started: \(error)")
            return false
        }
        let recording = RecordingFile(arguments.record)
        let recorder = recording?.recorder(of: flows, backend, arguments)
        let materials = backend.materials(arguments, recorder: recorder)
        let screens = ScreenStack()
        let reporting: ScopedDisposable
        do {
            reporting = ScopedDisposable(try arguments.states.map { try report(screens, to: $0) } ?? AnyDisposable())
        } catch {
            Console.complain("The states cannot be written: \(error.localizedDescription)")
            await backend.stop()
            return false
        }
        defer { reporting.dispose() }
        recorder?.follow(screens)
        let controller = flows.makeController(materials, on: screens)
        controller.start()
        let end = await TerminalSession(screens).run()
        await backend.stop()
        for line in logged.withLock({ $0 }) { console.print(line, .faint) }
        switch end {
        case .finished, .left: return recording?.write(to: console) ?? true
        case .noInput:
            Console.complain(
                "--interactive needs a terminal, or keys on the standard input. Leave it out for a script.")
        case let .failed(failure):
            Console.complain("The output cannot be written: \(failure)")
        }
        return false
    }

    /// Writes each event and what it changes to a file, from now on.
    private func report(_ screens: ScreenStack, to file: URL) throws -> any Disposable {
        let report = Report(try Console.file(file))
        return screens.steps.startWithValues { report.tell($0, on: screens) }
    }
}
