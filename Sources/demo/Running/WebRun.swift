import Browser
import Feedback
import Foundation
import LocalBackend
import Presentation
import Recordings

/// Shows the flows in web browsers, each with screens of its own, until it is interrupted.
struct WebRun: Sendable {
    let arguments: Arguments
    let flows: [any DemoFlow]
    let console: Console

    /// - Returns: Whether it could be started.
    func run() async -> Bool {
        let backend: DemoBackend
        do {
            backend = try await DemoBackend.start(arguments, flows: flows, log: { console.print($0, .faint) })
        } catch {
            Console.complain("The backend could not be started: \(error)")
            return false
        }
        let recording = RecordingFile(arguments.record)
        let recorders = Recorders()
        let display = BrowserDisplay(
            title: flows.count == 1 ? flows[0].feature.name.capitalized : "Feedback", isInspected: true,
            recording: { screens in try recorders.recording(of: screens) }
        ) { [arguments, flows] screens in
            let recorder = recording?.recorder(of: flows, backend, arguments) ?? backend.recorder(flows, arguments)
            recorders.add(recorder, of: screens)
            return flows.makeController(backend.materials(arguments, recorder: recorder), on: screens)
        }
        let server = LocalBackend()
        display.serve(on: server)
        do {
            let address = try await server.start(port: arguments.port ?? 0)
            console.print("The backend is \(backend.name).")
            console.print("Open \(display.address(on: address).absoluteString) in a browser. Ctrl-C ends it.")
            await Interruption.wait()
        } catch {
            Console.complain("The page could not be served: \(error)")
            await backend.stop()
            return false
        }
        await server.stop(within: .seconds(1))
        await backend.stop()
        return recording?.write(to: console) ?? true
    }
}

/// The recorders of all browsers that have screens.
private final class Recorders: Sendable {
    private struct Entry: Sendable {
        weak let screens: ScreenStack?
        let recorder: Recorder
    }

    private let entries = Locked<[Entry]>([])

    func add(_ recorder: Recorder, of screens: ScreenStack) {
        recorder.follow(screens)
        entries.withLock { entries in
            entries.removeAll { $0.screens == nil }
            entries.append(Entry(screens: screens, recorder: recorder))
        }
    }

    func recording(of screens: ScreenStack) throws -> Data? {
        let recorder = entries.withLock { $0.last { $0.screens === screens }?.recorder }
        return try recorder.map { try Recording(runs: [$0.run()]).data() }
    }
}
