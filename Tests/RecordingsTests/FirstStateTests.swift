import Feedback
import FeedbackTesting
import Foundation
import Presentation
import Testing

@testable import Recordings

/// A name.
private struct NameViewModel: ViewModel {
    enum Action: Equatable, Sendable { case rename(String) }
    enum Event: ActionEvent, Equatable { case ui(Action) }

    var initial: String { "" }

    static func reduce(_ state: inout String, _ event: Event) {
        if case let .ui(.rename(name)) = event { state = name }
    }
}

private struct NameRenderer: Renderer {
    func render(_ state: String) -> Screen<NameViewModel.Action> { Screen(title: state) }
}

/// Models run before a listener can be added, so timing decides how many events come before the first state that it
/// sees.
@Suite("The first states of a recording and its replay")
struct FirstStateTests {
    private func lines(_ name: String) -> [ValueLines.Line] { [.init(path: "", text: "\"\(name)\"")] }

    private func model(_ name: String, after eventCount: Int? = 0) -> Recording.Entry {
        .model(.init(model: 1, name: "NameViewModel", isScreen: true, eventCount: eventCount, state: lines(name)))
    }

    private func event(_ name: String) -> Recording.Entry {
        .event(
            .init(model: 1, event: ".ui .rename \"\(name)\"", source: "sent", changed: lines(name), removed: []))
    }

    /// Replays entries with a model that reduces some events before it is listened to, and some after that.
    private func replay(
        _ entries: [Recording.Entry], before: [String] = [], after: [String] = [], patience: Duration = .seconds(60)
    ) async throws {
        let run = Recording.Run(features: [], time: .distantPast, seed: 1, services: [:], entries: entries)
        let (screens, model) = (ScreenStack(), LiveViewModel(NameViewModel()))
        for name in before { model.send(.rename(name)) }
        try await Replay(run, patience: patience).play(on: screens) {
            screens.push(LiveScreen(model, NameRenderer()) { _ in })
            for name in after { model.send(.rename(name)) }
        }
    }

    @Test(
        "A replay may see the first state of a model a few events earlier or later than it was recorded",
        arguments: 0...3)
    func otherTime(seen: Int) async throws {
        // One state comes twice, so only the number of events tells them apart.
        let names = ["Ada", "", "Grace"]
        try await replay(
            [model("Ada", after: 1), event(""), event("Grace")], before: Array(names.prefix(seen)),
            after: Array(names.dropFirst(seen)))
    }

    @Test("A recording without the number of events before a first state has the state that the replay sees first")
    func noCount() async throws {
        try await replay([model("Ada", after: nil), event("Grace")], before: ["Ada"], after: ["Grace"])
    }

    @Test("The first state of a model is recorded with the number of events before it")
    func eventCount() throws {
        let recorder = Recorder(features: [], services: [:])
        let (screens, names) = (ScreenStack(), LiveViewModel(NameViewModel()))
        recorder.follow(screens)
        for name in ["Ada", "Grace"] { names.send(.rename(name)) }
        screens.push(LiveScreen(names, NameRenderer()) { _ in })
        names.send(.rename("Mary"))
        let run = try Recording(Recording(runs: [recorder.run()]).data()).runs[0]
        #expect(run.entries == [model("Grace", after: 2), event("Mary")])
    }

    @Test("A first state that is not the recorded one is a difference", arguments: 0...2)
    func otherState(seen: Int) async throws {
        let names = ["Ada", "Grace"]
        let error = await #expect(throws: ReplayError.self) {
            try await replay(
                [model("Zoe", after: 1), event("")], before: Array(names.prefix(seen)),
                after: Array(names.dropFirst(seen)))
        }
        let recorded = seen == 2 ? "" : "Zoe"
        #expect(error?.entry == 1)
        #expect(
            error?.description.contains("recorded: \"\(recorded)\"\n  now:      \"\(names[max(seen, 1) - 1])\"")
                == true,
            "\(error?.description ?? "")")
    }

    @Test("An event before the recorded first state that does not come is a difference")
    func missingEvent() async throws {
        let error = await #expect(throws: ReplayError.self) {
            try await replay([model("", after: 2)], after: [""], patience: .milliseconds(10))
        }
        #expect(
            error?.description.hasSuffix("NameViewModel did not reduce the event number 2, before its first state.")
                == true, "\(error?.description ?? "")")
    }

    @Test("A recording that ends before the first state that a replay sees is the same", arguments: [0, 1])
    func endsEarlier(count: Int) async throws {
        let entries = [model("")] + Array(repeating: event("Ada"), count: count)
        try await replay(entries, before: ["Ada", "Grace"])
    }

    @Test("A damaged number of events does no harm", arguments: [Int.min, -1, .max])
    func damagedCount(count: Int) async throws {
        let data = try Recording(runs: [
            .init(features: [], time: .distantPast, seed: 1, services: [:], entries: [model("", after: count)])
        ]).data()
        let entries = try Recording(data).runs[0].entries
        do throws(any Error) {
            try await replay(entries, patience: .milliseconds(10))
            #expect(count < 0)
        } catch {
            #expect(count == .max, "\(error)")
        }
    }
}
