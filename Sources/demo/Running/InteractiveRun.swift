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
        let materials = DemoMaterials(
            session: backend.session, database: arguments.database, feed: arguments.feed)
        let screens = ScreenStack()
        let controller = flows.makeController(materials, on: screens)
        controller.start()
        await TerminalSession(screens).run()
        await backend.stop()
        for line in logged.withLock({ $0 }) { console.print(line, .faint) }
        return true
    }
}
