import Feedback
import Presentation
import Recordings

/// Plays a recording on screens at a pace that a person can follow. The screen beneath them shows the result.
final class ReplayFlowController: FlowController {
    let screens: ScreenStack
    private let player: RecordingPlayer

    init(_ player: RecordingPlayer, on screens: ScreenStack) {
        self.player = player
        self.screens = screens
    }

    func start() {
        let model = LiveViewModel(
            ReplayViewModel(recording: player.recording) { [weak screens, player] in
                guard let screens else { return .stopped }
                return await player.play(on: screens)
            })
        screens.push(LiveScreen(model, ReplayRenderer(), onRoute: { _ in }))
        // Begun after the push, because the recording's screens are pushed on top of this one.
        model.send(.begin)
    }
}

/// Plays the runs of a recording, one after the other.
struct RecordingPlayer: Sendable {
    let recording: Recording
    let flows: [any DemoFlow]
    /// The time between two acts.
    let pause: Duration
    /// Called with each end.
    let onEnd: @Sendable (ReplayViewModel.End) -> Void

    func play(on screens: ScreenStack) async -> ReplayViewModel.End {
        let end = await end(on: screens)
        onEnd(end)
        return end
    }

    private func end(on screens: ScreenStack) async -> ReplayViewModel.End {
        do {
            for run in recording.runs {
                let replay = Replay(run)
                let controller = try flows.makeController(replaying: replay, of: run, on: screens)
                defer { withExtendedLifetime(controller) {} }
                try await replay.play(on: screens, start: controller.start) { [pause] entry in
                    if case .act = entry { try? await Task.sleep(for: pause) }
                }
            }
            return .same(entries: recording.entryCount)
        } catch {
            return Task.isCancelled ? .stopped : .different("\(error)")
        }
    }
}

extension Recording {
    var entryCount: Int { runs.reduce(0) { $0 + $1.entries.count } }
}

/// The replay of a recording, and its result.
struct ReplayViewModel: ViewModel {
    /// The end of a replay.
    enum End: Equatable, Sendable {
        case same(entries: Int)
        case different(String)
        case stopped
    }

    struct State: Equatable, Sendable {
        let features: [String]
        let entries: Int
        var isPlaying = false
        var end: End?
    }

    enum Action: Equatable, Sendable { case begin }
    enum Event: ActionEvent, Equatable { case ui(Action), didEnd(End) }

    let recording: Recording
    let play: @Sendable () async -> End

    var initial: State { State(features: recording.runs.flatMap(\.features), entries: recording.entryCount) }
    var feedbacks: [Feedback<State, Event>] { [Self.whenPlaying(play)] }

    private static func whenPlaying(_ play: @escaping @Sendable () async -> End) -> Feedback<State, Event> {
        Feedback(whenBecomesTrue: \.isPlaying) { _ in .didEnd(await play()) }
    }

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .ui(.begin): state.isPlaying = true
        case let .didEnd(end): (state.isPlaying, state.end) = (false, end)
        }
    }
}

struct ReplayRenderer: Renderer {
    func render(_ state: ReplayViewModel.State) -> Screen<ReplayViewModel.Action> {
        Screen(
            title: "A recording",
            sections: [
                .init(rows: [
                    .value("Features", state.features.joined(separator: ", ")), .value("Entries", "\(state.entries)"),
                ]),
                .init(rows: rows(state)),
            ])
    }

    private func rows(_ state: ReplayViewModel.State) -> [Screen<ReplayViewModel.Action>.Row] {
        switch state.end {
        case nil: state.isPlaying ? [.progress("Playing")] : []
        case let .same(entries):
            [
                .notice(.success, entries.sameEntries),
                .text("To watch it again, open the address that the program printed."),
            ]
        case let .different(reason): [.notice(.error, reason)]
        case .stopped: [.notice(.warning, "The replay was stopped.")]
        }
    }
}

extension Int {
    /// The sentence at the end of a replay of so many entries.
    var sameEntries: String { "All \(counting("entry", "entries")) of the recording are the same in the replay." }
}
