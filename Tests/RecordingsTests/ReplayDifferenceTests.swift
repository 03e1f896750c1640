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
