import Feedback
import Networking
import Presentation
import Recordings

/// Runs the flows one after the other, each from its first screen to its end, and reports all that happens.
struct ScriptedRun: Sendable {
    let arguments: Arguments
    let flows: [any DemoFlow]
    let console: Console

    /// - Returns: True if every flow reached its end.
    func run() async -> Bool {
        guard arguments.record != nil else { return await runFlows() }
        // What is recorded until a signal is written.
        let (isComplete, signal) = await Interruption.cancelling { await runFlows() }
        if let signal { Interruption.end(by: signal) }
        return isComplete
    }

    private func runFlows() async -> Bool {
        let start = ContinuousClock.now
        let report = Report(console, isVerbose: arguments.isVerbose)
        guard
            let backend = await DemoBackend.start(arguments, flows: flows, log: { console.print($0, .faint) })
        else { return false }
        console.print("The backend is \(backend.name).")
        let recording = RecordingFile(arguments.record)
        var failures: [String] = []
        for flow in flows where !Task.isCancelled {
            report.title("\(flow.feature.name): \(flow.feature.summary)")
            do {
                let recorder = recording?.recorder(of: [flow], backend, arguments)
                try await play(flow, backend.materials(arguments, recorder: recorder), recorder, report)
            } catch {
                console.print("\(error)", .error)
                let reason = (error as? ScriptError)?.reason ?? "\(error)"
                Console.complain("\(flow.feature.name) did not reach its end: \(reason)")
                failures.append(flow.feature.name)
            }
        }
        await backend.stop()
        if let recording, !recording.write(to: console) { return false }
        summarize(report.tally, requests: backend.requests, failures, time: ContinuousClock.now - start)
        return failures.isEmpty
    }

    private func play(
        _ flow: any DemoFlow, _ materials: DemoMaterials, _ recorder: Recorder?, _ report: Report
    ) async throws {
        let screens = ScreenStack()
        recorder?.follow(screens)
        let reporting = ScopedDisposable(report.follow(screens))
        defer { reporting.dispose() }
        let controller = flow.makeController(materials, on: screens)
        defer { withExtendedLifetime(controller) {} }
        controller.start()
        report.catchUp(with: screens)
        let person = ScriptedPerson(
            screens,
            configure: {
                $0.retries = 25
                if recorder != nil {
                    $0.isDeliberate = true
                    // Recording all states takes longer than the flow, and a busy machine takes longer still.
                    $0.looking = .seconds(300)
                    $0.waiting = .seconds(300)
                }
            }, onAct: { report.tell($0, on: screens) })
        try await flow.play(person)
        guard screens.screens.isEmpty else { throw FlowError.leftScreensBehind(screens.screens.count) }
    }

    private func summarize(_ tally: Report.Tally, requests: Int, _ failures: [String], time: Duration) {
        let seconds = Double(time / .milliseconds(1)) / 1_000
        let parts = [
            flows.count.counting("feature", "features"),
            tally.steps.counting("step", "steps"),
            tally.events.counting("event", "events"),
            requests.counting("request", "requests"),
            tally.retries.counting("retry", "retries"),
            "\((seconds * 100).rounded() / 100) s",
        ]
        console.print("")
        console.print(parts.joined(separator: ", ") + ".")
        if failures.isEmpty {
            console.print("Every flow has reached its end.", .success)
        } else {
            console.print("Not at its end: \(failures.joined(separator: ", ")).", .error)
        }
    }
}
