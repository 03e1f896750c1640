import Feedback
import Foundation
import Presentation
import Recordings

/// Repeats a recording without a network, and reports all that happens, up to the first difference.
struct ReplayRun: Sendable {
    let arguments: Arguments
    let flows: [any DemoFlow]
    let console: Console

    /// - Returns: True if every state was as it was recorded.
    func run() async -> Bool {
        guard let recording = Recording(replayedBy: arguments) else { return false }
        if let folder = arguments.testFolder { return write(recording, asTestsInto: folder) }
        let report = Report(console, isVerbose: arguments.isVerbose)
        for run in recording.runs {
            report.title(run.features.joined(separator: ", "))
            do {
                try await play(run, report)
            } catch {
                console.print("\(error)", .error)
                return false
            }
        }
        console.print("")
        console.print(recording.entryCount.sameEntries, .success)
        return true
    }

    /// Writes a test for each run of one feature. From the second run of a feature on, its tests have numbers.
    private func write(_ recording: Recording, asTestsInto folder: URL) -> Bool {
        do {
            var counts: [String: Int] = [:]
            for run in recording.runs {
                guard run.features.count == 1 else { throw UnusableRun.severalFeatures(run.features) }
                let flow = try flows.flow(named: run.features[0])
                let number = counts[flow.feature.name, default: 0] + 1
                counts[flow.feature.name] = number
                let name = flow.feature.name.capitalized + (number == 1 ? "" : "\(number)")
                try RecordedTest(of: run, name: name, imports: flow.source.imports, flow: flow.source.lines)
                    .write(to: folder)
                console.print(
                    "Written: \(folder.appending(path: "Recorded\(name)Tests.swift").path(percentEncoded: false))")
            }
            return true
        } catch {
            Console.complain("The test could not be written. \(error)")
            return false
        }
    }

    private func play(_ run: Recording.Run, _ report: Report) async throws {
        let replay = Replay(run)
        let screens = ScreenStack()
        let reporting = ScopedDisposable(report.follow(screens))
        defer { reporting.dispose() }
        let controller = try flows.makeController(replaying: replay, of: run, on: screens)
        defer { withExtendedLifetime(controller) {} }
        try await replay.play(on: screens, start: controller.start) { entry in
            guard case let .act(act, _) = entry else { return }
            report.catchUp(with: screens)
            report.title(of: act)
        }
        report.catchUp(with: screens)
    }
}

extension Recording {
    /// Reads the recording of `--replay`; prints an error and returns `nil` if it cannot be read.
    init?(replayedBy arguments: Arguments) {
        guard let file = arguments.replay else { return nil }
        do {
            try self.init(contentsOf: file)
        } catch {
            Console.complain("\(file.path(percentEncoded: false)) cannot be replayed. \(error)")
            return nil
        }
    }
}

extension [any DemoFlow] {
    fileprivate func flow(named name: String) throws(UnusableRun) -> any DemoFlow {
        guard let flow = first(where: { $0.feature.name == name }) else { throw .unknownFeature(name) }
        return flow
    }

    /// Makes the flow of a recording, whose requests the replay answers.
    func makeController(
        replaying replay: Replay, of run: Recording.Run, on screens: ScreenStack
    ) throws(UnusableRun) -> any FlowController {
        let chosen = try run.features.map { name throws(UnusableRun) in try flow(named: name) }
        if chosen.isEmpty { throw .noFeature }
        let materials = DemoMaterials(
            session: replay.session(configure: { $0.timeout = .seconds(600) }), database: nil, now: { replay.now },
            makeID: { replay.ids.next() })
        return chosen.makeController(materials, on: screens)
    }
}

/// The reason why a recorded run cannot be repeated, or cannot be written as a test.
enum UnusableRun: Error, Equatable, CustomStringConvertible {
    case noFeature
    case unknownFeature(String)
    /// A test uses one feature.
    case severalFeatures([String])

    var description: String {
        switch self {
        case .noFeature: "The recording does not say which feature was used. Record the flow again."
        case let .unknownFeature(name):
            "The recording uses the feature \"\(name)\", which this demo does not have. Replay it with the demo that "
                + "recorded it."
        case let .severalFeatures(names):
            "The recording uses \(names.joined(separator: ", ")), and a test can use only one feature. Record each "
                + "feature alone."
        }
    }
}
