import Browser
import Foundation
import LocalBackend
import Presentation

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
        let materials = backend.materials(arguments)
        let display = BrowserDisplay(title: flows.count == 1 ? flows[0].feature.name.capitalized : "Feedback") {
            [flows] screens in flows.makeController(materials, on: screens)
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
        return true
    }
}
