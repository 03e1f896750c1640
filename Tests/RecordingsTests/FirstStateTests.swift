import Canned
import Feedback
import FeedbackTesting
import Foundation
import Networking
import Presentation
import Testing

@testable import Recordings

/// A name.
struct NameViewModel: ViewModel {
    enum Action: Equatable, Sendable { case rename(String) }
    enum Event: ActionEvent, Equatable { case ui(Action) }

    var initial: String { "" }

    static func reduce(_ state: inout String, _ event: Event) {
        if case let .ui(.rename(name)) = event { state = name }
    }
}

struct NameRenderer: Renderer {
    func render(_ state: String) -> Screen<NameViewModel.Action> {
        Screen(
            title: state,
            actions: [.init("Clear", action: .rename("")), .init("Use Grace", action: .rename("Grace"))])
    }
}

/// Models run before a listener can be added, so timing decides how many events come before the first state that it
/// sees.
@Suite("The first states of a recording and its replay")
struct FirstStateTests {
    private let screens = ScreenStack()
    private let names = LiveViewModel(NameViewModel())

    private func lines(_ name: String) -> [ValueLines.Line] { [.init(path: "", text: "\"\(name)\"")] }

    private func model(_ name: String) -> Recording.Entry {
        .model(.init(model: 1, name: "NameViewModel", isScreen: true, state: lines(name)))
    }

    private func event(_ name: String) -> Recording.Entry {
        .event(.init(model: 1, event: ".ui .rename \"\(name)\"", source: "sent", changed: lines(name), removed: []))
    }

    /// Replays entries with a model that reduces some events before it is listened to, and some after that.
    private func replay(
        _ entries: [Recording.Entry], before: [String] = [], after: [String] = [], patience: Duration = .seconds(60),
        onStart: @Sendable (Replay) -> Void = { _ in }
    ) async throws {
        let run = Recording.Run(features: [], time: .distantPast, seed: 1, services: [:], entries: entries)
        let replay = Replay(run, patience: patience)
        for name in before { names.send(.rename(name)) }
        try await replay.play(on: screens) {
            screens.push(LiveScreen(names, NameRenderer()) { _ in })
            for name in after { names.send(.rename(name)) }
            onStart(replay)
        }
    }

    @Test("A replay may see it a few events earlier or later than it was recorded", arguments: 0...3)
    func otherTime(seen: Int) async throws {
        let names = ["Ada", "Grace", "Mary"]
        try await replay(
            [model("Ada"), event("Grace"), event("Mary")], before: Array(names.prefix(seen)),
            after: Array(names.dropFirst(seen)))
    }

    @Test("One that is like a state after an act is not taken for that", arguments: [0, 1])
    func likeAfterAct(seen: Int) async throws {
        try await replay(
            [model("Ada"), .act(.uses("Clear")), event(""), .act(.uses("Use Grace")), event("Grace")],
            before: Array(["Ada"].prefix(seen)), after: Array(["Ada"].dropFirst(seen)))
    }

    @Test("One that is like a state after an answer is not taken for that", arguments: [0, 1])
    func likeAfterAnswer(seen: Int) async throws {
        let answer = Recording.Answer(CannedAnswer(.GET, "/names", body: "[]"))
        let request = TransportRequest(url: try #require(URL(string: "https://api.example/names")))
        try await replay(
            [model("Ada"), .answer(answer), event(""), event("Grace")],
            before: Array(["Ada"].prefix(seen)), after: Array(["Ada"].dropFirst(seen)),
            onStart: { [names] replay in
                Task {
                    _ = try await replay.transport.send(request)
                    for name in ["", "Grace"] { names.send(.rename(name)) }
                }
            })
    }

    @Test("One that no event leads to or from is a difference")
    func otherState() async throws {
        let error = await #expect(throws: ReplayError.self) {
            try await replay([model("Zoe")], patience: .milliseconds(10))
        }
        #expect(
            error?.description.contains("recorded: \"Zoe\"\n  now:      \"\"") == true, "\(error?.description ?? "")")
    }
}
