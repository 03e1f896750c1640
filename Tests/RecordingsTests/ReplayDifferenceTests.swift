import Feedback
import FeedbackTesting
import Foundation
import Networking
import Presentation
import Testing

@testable import Recordings

/// A text that can be saved once.
private struct DraftViewModel: ViewModel {
    enum Action: Equatable, Sendable { case save }
    enum Event: ActionEvent, Equatable { case ui(Action) }

    var initial: Int { 0 }

    static func reduce(_ state: inout Int, _ event: Event) { state += 1 }
}

private struct DraftRenderer: Renderer {
    func render(_ state: Int) -> Screen<DraftViewModel.Action> {
        Screen(title: "Draft", actions: state == 0 ? [.init("Save", action: .save)] : [])
    }
}

@Suite("The differences between a replay and its recording")
struct ReplayDifferenceTests {
    private func replay(_ acts: [ScreenStack.Act], patience: Duration = .seconds(20)) async throws {
        var entries: [Recording.Entry] = [
            .model(.init(model: 1, name: "DraftViewModel", isScreen: true, state: [.init(path: "", text: "0")]))
        ]
        for (number, act) in acts.enumerated() {
            let changed = [ValueLines.Line(path: "", text: "\(number + 1)")]
            entries += [
                .act(act),
                .event(.init(model: 1, event: ".ui .save", source: "sent", changed: changed, removed: [])),
            ]
        }
        let run = Recording.Run(features: [], time: .distantPast, seed: 1, services: [:], entries: entries)
        let screens = ScreenStack()
        try await Replay(run, patience: patience).play(on: screens) {
            screens.push(LiveScreen(DraftViewModel(), DraftRenderer()))
        }
    }

    @Test("A control that is used twice at once may be gone the second time, but no other control")
    func goneControl() async throws {
        try await replay([.uses("Save"), .uses("Save")])
        let error = await #expect(throws: ReplayError.self) {
            try await replay([.uses("Save"), .uses("Send")], patience: .milliseconds(100))
        }
        #expect(error?.entry == 4)
        guard case .noControl(.uses("Send", place: 0), let screen?)? = error?.reason, screen.hasPrefix("Draft\n") else {
            Issue.record("\(error?.description ?? "")")
            return
        }
    }

    /// Replays a model that has reduced some events before the replay sees it, and reduces another one then.
    private func replayLate(seen: Int, then last: Int) async throws {
        func lines(_ number: Int) -> [ValueLines.Line] { [.init(path: "", text: "\(number)")] }
        var entries: [Recording.Entry] = [
            .model(.init(model: 1, name: "DraftViewModel", isScreen: true, state: lines(0)))
        ]
        for number in (1...seen) + [last] {
            entries.append(
                .event(.init(model: 1, event: ".ui .save", source: "sent", changed: lines(number), removed: [])))
        }
        let run = Recording.Run(features: [], time: .distantPast, seed: 1, services: [:], entries: entries)
        let (screens, model) = (ScreenStack(), LiveViewModel(DraftViewModel(), initial: seen))
        try await Replay(run, patience: .seconds(20)).play(on: screens) {
            screens.push(LiveScreen(model, DraftRenderer()) { _ in })
            model.send(.save)
        }
    }

    @Test("The events after the first state that a replay has seen are compared", arguments: [1, 2])
    func laterFirstState(seen: Int) async throws {
        try await replayLate(seen: seen, then: seen + 1)
        let error = await #expect(throws: ReplayError.self) { try await replayLate(seen: seen, then: 9) }
        #expect(error?.entry == seen + 2)
        #expect(
            error?.reason
                == .otherState("DraftViewModel", ".ui .save", .init(path: "", recorded: "9", now: "\(seen + 1)")))
    }

    @Test("A first state with the same parts in another order is a difference, and said to be one")
    func order() async throws {
        struct TownViewModel: ViewModel {
            struct State: Sendable { var name = "Bath", river = "Avon" }
            enum Event: ActionEvent { case ui(Int) }

            var initial: State { State() }

            static func reduce(_ state: inout State, _ event: Event) {}
        }
        struct TownRenderer: Renderer {
            func render(_ state: TownViewModel.State) -> Screen<Int> { Screen(title: state.name) }
        }
        let lines = [("", "State"), ("river", "\"Avon\""), ("name", "\"Bath\"")]
        let model = Recording.Model(
            model: 1, name: "TownViewModel", isScreen: true,
            state: lines.map { ValueLines.Line(path: $0.0, text: $0.1) })
        let run = Recording.Run(features: [], time: .distantPast, seed: 1, services: [:], entries: [.model(model)])
        let screens = ScreenStack()
        let error = await #expect(throws: ReplayError.self) {
            try await Replay(run, patience: .milliseconds(10)).play(on: screens) {
                screens.push(LiveScreen(TownViewModel(), TownRenderer()))
            }
        }
        let (recorded, now) = ("the parts in one order", "the same parts in another order")
        #expect(error?.reason == .otherState("TownViewModel", nil, .init(path: "", recorded: recorded, now: now)))
    }

    @Test("The difference is told with the act before it", arguments: [true, false])
    func lastAct(isUsed: Bool) async throws {
        let error = await #expect(throws: ReplayError.self) {
            try await replay(isUsed ? [.uses("Save"), .uses("Send")] : [.uses("Send")], patience: .milliseconds(100))
        }
        let text = error?.description ?? ""
        #expect(text.contains(isUsed ? "at entry 4 of 5 after using \"Save\". " : "at entry 2 of 3. "), "\(text)")
    }

    @Test("A request that the recording does not have is not a difference if it is cancelled soon after the last entry")
    func withdrawnRequest() async throws {
        let run = Recording.Run(
            features: [], time: .distantPast, seed: 1, services: [:], endsBusy: false, unanswered: [])
        let replay = Replay(run, patience: .seconds(60))
        let request = TransportRequest(url: try #require(URL(string: "https://api.example/prices")))
        let requests = try #require(replay.transport as? ReplayedRequests)
        let extra = Task { try await requests.send(request) }
        await eventually("the request is under way") { requests.waiting(beside: []).count == 1 }
        let hasBegun = Locked(false)
        let playing = Task {
            try await replay.play(on: ScreenStack(), start: { hasBegun.withLock { $0 = true } })
        }
        await eventually("the replay has begun") { hasBegun.withLock { $0 } }
        for _ in 0..<200 { await Task.yield() }
        extra.cancel()
        try await playing.value
        await #expect(throws: CoreError.cancelled) { try await extra.value }
    }

    @Test("Texts that differ are a difference, whatever the order in which the keys with secrets are compared")
    func textBesideKeys() {
        func state(_ secret: String, _ text: String) -> ValueLines {
            ValueLines(
                (0..<50).map { .init(path: "\($0).\"\(secret)\"", text: "same") } + [.init(path: "name", text: text)])
        }
        let marked = state(Redaction.mark, "Ada")
        #expect(marked.differsOnlyInSecrets(from: state("hunter2", "Ada")))
        #expect(!marked.differsOnlyInSecrets(from: state("hunter2", "Grace")))
    }

    @Test(
        "Each kind of difference is a sentence",
        arguments: [
            (.noModel("Names"), "The model Names did not begin."),
            (.otherModel("Names", "Towns"), "The model Towns began, not Names."),
            (
                .noControl(.uses("More", place: 1), nil),
                "The screen has no enabled control for using \"More\", number 2 of that name. There is no screen."
            ),
            (
                .noControl(.types("Ada", into: "Name", place: 2), "Names"),
                "The screen has no enabled control for typing \"Ada\" into \"Name\", number 3 of that name. "
                    + "The screen is:\n\nNames"
            ),
            (.noRequest("GET /a"), "The request GET /a was not sent."),
            (.extraRequest("GET /a"), "The request GET /a was sent, which the recording does not have."),
            (.noEvent("Names", ".cancel"), "Names did not reduce the event .cancel."),
            (
                .otherEvent("Names", ".a", ".b"),
                "Names reduced another event.\n  recorded: .a\n  now:      .b"
            ),
            (
                .otherState("Names", ".a", .init(path: "name", recorded: "\"Ada\"", now: nil)),
                "The state of Names after .a differs at name.\n  recorded: \"Ada\"\n  now:      nothing"
            ),
            (
                .otherState("Names", nil, .init(path: "", recorded: nil, now: "1")),
                "The first state of Names differs.\n  recorded: nothing\n  now:      1"
            ),
        ] as [(ReplayError.Reason, String)])
    func sentences(reason: ReplayError.Reason, text: String) {
        let start = "The replay differs from the recording at entry 2 of 5"
        let first = ReplayError(entry: 2, count: 5, after: nil, reason: reason)
        #expect("\(first)" == "\(start). \(text)")
        let later = ReplayError(entry: 2, count: 5, after: .types("Ada", into: "Name"), reason: reason)
        #expect("\(later)" == "\(start) after typing \"Ada\" into \"Name\". \(text)")
    }
}
