import Foundation
import LocalBackend
import Presentation

/// Runs the backend alone, until it is interrupted.
struct Serving: Sendable {
    let arguments: Arguments
    let flows: [any DemoFlow]
    let console: Console

    /// - Returns: True if it could be started.
    func run() async -> Bool {
        let console = console
        let log = TrafficLog(showsBodies: arguments.logsBodies) { console.print($0, .faint) }
        let backend = LocalBackend {
            if arguments.logsRequests { $0.onAnswer = log.note }
            $0.sharesPort = arguments.sharesPort
        }
        backend.misbehave(.delay(arguments.latency), .fail(rate: arguments.failRate))
        let url: URL
        do {
            for flow in flows { try flow.serve(on: backend, for: arguments) }
            backend.get("/") { [weak backend] _ in
                .text((backend?.routes ?? []).map { $0 + "\n" }.joined())
            }
            url = try await backend.start(port: arguments.port ?? (flows.count == 1 ? flows[0].feature.port : nil) ?? 0)
        } catch {
            Console.complain("The backend could not be started: \(error)")
            return false
        }
        await Interruption.wait {
            console.print("Serving on \(url.absoluteString) until Ctrl-C. Its routes are listed there.")
        }
        await backend.stop(within: .seconds(1))
        return true
    }
}
