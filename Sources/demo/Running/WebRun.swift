import Browser
import Feedback
import Foundation
import LocalBackend
import Presentation
import Recordings

/// Shows the flows in web browsers, each of which has screens of its own, until it is interrupted.
struct WebRun: Sendable {
    let arguments: Arguments
    let flows: [any DemoFlow]
    let console: Console

    /// - Returns: True if it could be started, and its recording could be written.
    func run() async -> Bool {
        guard
            let backend = await DemoBackend.start(arguments, flows: flows, log: { console.print($0, .faint) })
        else { return false }
        console.print("The backend is \(backend.name).")
        let file = RecordingFile(arguments.record)
        let recorders = Recorders()
        let display = BrowserDisplay(
            title: flows.count == 1 ? flows[0].feature.name.capitalized : "Feedback", isInspected: true,
            downloads: downloads(recorders)
        ) { [arguments, flows] screens in
            let recorder = file?.recorder(of: flows, backend, arguments) ?? backend.recorder(flows, arguments)
            recorders.add(recorder, of: screens)
            return flows.makeController(backend.materials(arguments, recorder: recorder), on: screens)
        }
        let isServed = await serve(display)
        await backend.stop()
        return isServed && file?.write(to: console) ?? true
    }

    /// Plays a recording for each browser, to be watched in it.
    ///
    /// - Returns: True if it could be started, and no replay differed.
    func replay() async -> Bool {
        guard let recording = Recording(replayedBy: arguments) else { return false }
        let hasDiffered = Locked(false)
        let player = RecordingPlayer(recording: recording, flows: flows, pause: .milliseconds(400)) { [console] end in
            switch end {
            case let .same(entries): console.print(entries.sameEntries, .success)
            case .stopped: break
            case let .different(reason):
                hasDiffered.withLock { $0 = true }
                console.print(reason, .error)
            }
        }
        let display = BrowserDisplay(title: "A recording", isInspected: true, isReadOnly: true) { screens in
            ReplayFlowController(player, on: screens)
        }
        return await serve(display) && !hasDiffered.withLock { $0 }
    }

    /// Returns the files of a browser's recording. There is a test only for a single feature, because the menu belongs
    /// to the demo.
    private func downloads(_ recorders: Recorders) -> [BrowserDownload] {
        let recording = BrowserDownload("Save the recording", fileName: "recording.json") { screens in
            try recorders.run(of: screens).map { try Recording(runs: [$0]).data() }
        }
        guard flows.count == 1 else { return [recording] }
        let flow = flows[0]
        let name = flow.feature.name.capitalized
        let test = BrowserDownload("Save it as a test", fileName: "Recorded\(name)Tests.tar") { screens in
            try recorders.run(of: screens).map { run in
                try RecordedTest(of: run, name: name, imports: flow.source.imports, flow: flow.source.lines).archive()
            }
        }
        return [recording, test]
    }

    /// - Returns: True if it could be served.
    private func serve(_ display: BrowserDisplay) async -> Bool {
        let server = LocalBackend()
        display.serve(on: server)
        let address: URL
        do {
            address = try await server.start(port: arguments.port ?? 0)
        } catch {
            Console.complain("The page could not be served: \(error)")
            return false
        }
        await Interruption.wait {
            console.print("Open \(display.address(on: address).absoluteString) in a browser. Ctrl-C ends it.")
        }
        await server.stop(within: .seconds(1))
        return true
    }
}

/// The recorders of all browsers that have screens.
private final class Recorders: Sendable {
    private struct Entry: Sendable {
        weak let screens: ScreenStack?
        let recorder: Recorder
        let following: any Disposable
    }

    private let entries = Locked<[Entry]>([])

    /// Lets a recorder follow the flow that starts on the screens now, in place of the recorder of the flow before it.
    func add(_ recorder: Recorder, of screens: ScreenStack) {
        let former = entries.withLock { entries in
            let former = entries.filter { $0.screens == nil || $0.screens === screens }
            entries.removeAll { $0.screens == nil || $0.screens === screens }
            return former
        }
        for entry in former { entry.following.dispose() }
        let following = recorder.follow(screens)
        entries.withLock { $0.append(Entry(screens: screens, recorder: recorder, following: following)) }
    }

    func run(of screens: ScreenStack) -> Recording.Run? {
        entries.withLock { $0.first { $0.screens === screens }?.recorder }?.run()
    }
}
