import Feedback
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
        recorder?.follow(screens)
        let controller = flows.makeController(materials, on: screens)
        controller.start()
        await TerminalSession(screens).run()
        await backend.stop()
        for line in logged.withLock({ $0 }) { console.print(line, .faint) }
        return recording?.write(to: console) ?? true
    }
}
