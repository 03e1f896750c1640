import Feedback
import FeedbackTesting
import Foundation
import Presentation
import Testing

@testable import Recordings

/// A search as one types, and pages of results.
private struct SearchViewModel: ViewModel {
    enum Failure: Error { case offline }

    struct State: Equatable, Sendable {
        var text = ""
        var page = 0
        var results = 0
        var loading = Attempt<Failure>.done
    }

    enum Action: Equatable, Sendable { case edit(String), more, leave }
    enum Event: ActionEvent, Equatable { case ui(Action), didFind(Int) }

    let search: Stub<String, Int, NoError>

    var initial: State { State() }
    var feedbacks: [Feedback<State, Event>] {
        [
            Feedback(skippingRepeated: { $0.loading.isUnderWay ? "\($0.text) \($0.page)" : nil }) { [search] text in
                search(text).map(Event.didFind)
            }
        ]
    }

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case let .ui(.edit(text)): (state.text, state.page, state.loading) = (text, 0, .underWay())
        case .ui(.more) where !state.loading.isUnderWay: (state.page, state.loading) = (state.page + 1, .underWay())
        case .ui(.more), .ui(.leave): break
        case let .didFind(count): (state.results, state.loading) = (count, .done)
        }
    }
}

private struct SearchRenderer: Renderer {
    func render(_ state: SearchViewModel.State) -> Screen<SearchViewModel.Action> {
        Screen(
            title: "Search",
            sections: [
                .init(rows: state.loading.isUnderWay ? [.progress("Searching")] : []),
                .init(rows: [.field(.init("Title", text: state.text, edit: { .edit($0) }))]),
            ],
            actions: [.init("More", key: "m", action: .more), .init("Leave", key: "l", action: .leave)])
    }
}

@Suite("Tests of recordings of a person in a hurry")
struct HurryTests {
    private let search = Stub<String, Int, NoError>()
    private let screens = ScreenStack()
    private let recorder = Recorder(features: ["search"], services: [:])

    /// Uses the screen as it is now, without waiting for anything.
    private func act(_ act: ScreenStack.Act) throws {
        let action = try #require(screens.top?.screen.action(of: act))
        action()
    }

    private func source(_ use: () throws -> Void) throws -> String {
        recorder.follow(screens)
        screens.push(LiveScreen(SearchViewModel(search: search), SearchRenderer()))
        try use()
        let run = try Recording(Recording(runs: [recorder.run()]).data()).runs[0]
        let test = RecordedTest(of: run, name: "Search", imports: [], flow: [])
        return test.source.components(separatedBy: "let person = ").last ?? ""
    }

    @Test("Edits of one field are one act, and what a person waits for is expected only at the end of the wait")
    func edits() throws {
        let source = try source {
            for text in ["T", "TH", "THE"] { try act(.types(text, into: "Title")) }
            search.answer(6)
        }
        #expect(source.components(separatedBy: "person.types").count == 2, "\(source)")
        #expect(source.contains(#"person.types("THE", into: "Title")"#))
        #expect(!source.contains("underWay"))
        #expect(source.contains("results: 6"))
    }

    @Test("A button that was pressed twice at once is pressed twice at once")
    func doublePress() throws {
        let source = try source {
            try act(.uses("More"))
            try act(.uses("More"))
            search.answer(1)
            try act(.uses("More"))
            search.answer(2)
        }
        #expect(source.contains(#"person.uses("More", times: 2)"#), "\(source)")
        #expect(source.components(separatedBy: "person.uses").count == 3)
        #expect(!source.contains("underWay"))
        #expect(source.contains("page: 1") && source.contains("page: 2"))
    }

    @Test("An act while the screen is busy, and an end while it is, have no expectation before")
    func otherActs() throws {
        let source = try source {
            try act(.types("T", into: "Title"))
            try act(.uses("Leave"))
            search.answer(1)
            try act(.uses("More"))
        }
        #expect(!source.contains("underWay"), "\(source)")
        #expect(source.contains("results: 1"))
        #expect(source.contains(#"person.uses("Leave")"#))
    }

    @Test("Edits between which the feature has answered are two acts")
    func deliberate() throws {
        let source = try source {
            try act(.types("T", into: "Title"))
            search.answer(1)
            try act(.types("TH", into: "Title"))
            search.answer(2)
        }
        #expect(source.components(separatedBy: "person.types").count == 3, "\(source)")
        #expect(source.contains("results: 1") && source.contains("results: 2"))
    }

    @Test("An act that changes nothing is in the test, without an expectation after it")
    func silentAct() throws {
        let source = try source { try act(.uses("Leave")) }
        #expect(source.contains(#"person.uses("Leave")"#), "\(source)")
        #expect(source.components(separatedBy: "states.expect").count == 2)
        #expect(source.contains("SearchViewModel begins"))
    }

    @Test("A run without requests needs no folder of answers, which git and archives would leave out")
    func noAnswers() throws {
        recorder.follow(screens)
        screens.push(LiveScreen(SearchViewModel(search: search), SearchRenderer()))
        let test = RecordedTest(of: recorder.run(), name: "Search", imports: [], flow: [])
        #expect(!test.source.contains("folder"), "\(test.source)")
        #expect(test.source.contains("let backend = CannedBackend()"))
    }
}
