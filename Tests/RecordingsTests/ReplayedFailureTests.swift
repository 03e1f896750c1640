import Feedback
import FeedbackTesting
import Foundation
import Networking
import Presentation
import Testing

@testable import Recordings

/// A screen that shows the failure of its request.
private struct LoadingViewModel: ViewModel {
    struct State: Equatable, Sendable { var loading = Attempt<CoreError>.underWay() }
    enum Action: Equatable, Sendable { case retry }
    enum Event: ActionEvent, Equatable { case ui(Action), didLoad(String), didFail(CoreError) }

    let session: BackendSession

    var initial: State { State() }
    var feedbacks: [Feedback<State, Event>] {
        let resource = BackendResource<Void, String, NoAuth>(path: .api(.core, "/v1/name"), method: .GET)
        return [
            Feedback(whenBecomesTrue: \.loading.isUnderWay) { [session] _ in
                session.access(resource).map(Event.didLoad).replaceError(Event.didFail)
            }
        ]
    }

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .ui(.retry): state.loading.start()
        case .didLoad: state.loading = .done
        case let .didFail(error): state.loading.fail(error)
        }
    }
}

private struct LoadingRenderer: Renderer {
    func render(_ state: LoadingViewModel.State) -> Screen<LoadingViewModel.Action> {
        Screen(title: "Name", sections: [.init(rows: state.loading.rows("Loading", retry: .retry))])
    }
}

@Suite("A replay of a failure")
struct ReplayedFailureTests {
    private let services = BackendEnvironment.production.services

    /// Records a request that the server refuses, as servers do: with a date, a length and a cookie.
    private func record() async throws -> (run: Recording.Run, failure: StatusFailure?) {
        let server = StubTransport { request throws(CoreError) in
            let headers: HTTPHeaders = [
                "Date": "Sat, 28 Nov 2026 16:36:53 GMT", "Server": "nginx", "Content-Length": "5",
                "Set-Cookie": "sid=c00kie-5", "X-Reason": "overload",
            ]
            return try TransportResponse(status: 503, headers: headers, body: Data("Busy.".utf8), url: request.url)
        }
        let recorder = Recorder(features: [], services: services)
        let session = BackendSession(environment: .production, transport: recorder.transport(server))
        let screens = ScreenStack()
        recorder.follow(screens)
        let model = LiveViewModel(LoadingViewModel(session: session))
        screens.push(LiveScreen(model, LoadingRenderer(), onRoute: { _ in }))
        try await ScriptedPerson(screens).uses("Try again")
        await eventually("the second request has failed") { model.state.value.loading.isSecondFailure }
        guard case let .status(failure) = model.state.value.loading.failure else { return (recorder.run(), nil) }
        return (recorder.run(), failure)
    }

    @Test("Is the same, though fields of the connection are not recorded")
    func replaying() async throws {
        let replay = Replay(try await record().run)
        let screens = ScreenStack()
        try await replay.play(on: screens) {
            let model = LoadingViewModel(session: replay.session())
            screens.push(LiveScreen(model, LoadingRenderer()))
        }
    }

    @Test("Holds no cookie, but the other fields of the answer")
    func cookies() async throws {
        let (run, failure) = try await record()
        let text = String(decoding: try Recording(runs: [run]).data(), as: UTF8.self)
        #expect(!text.contains("c00kie") && text.contains("overload"))
        // The feature itself has the cookie, and what a replay has of the rest.
        #expect(failure?.headers == ["Set-Cookie": "sid=c00kie-5", "X-Reason": "overload"])
    }

    @Test("Shows the status, though a value named code may be a secret")
    func status() async throws {
        let run = try await record().run
        let text = String(decoding: try Recording(runs: [run]).data(), as: UTF8.self)
        #expect(text.contains("status: 503"))
    }

    @Test("Equal header fields are described alike, whatever their order and their case")
    func describing() {
        let (one, other): (HTTPHeaders, HTTPHeaders) = (["A": "1", "B": "2"], ["b": "2", "a": "1"])
        #expect(one == other && ValueTree(one) == ValueTree(other))
        #expect(ValueTree(one).line == #"["a": "1", "b": "2"]"#)
    }

    @Test("Makes the identifiers of the recorded run")
    func identifiers() {
        let recorder = Recorder(features: [], services: services)
        let ids = (0..<3).map { _ in recorder.ids.next() }
        let replay = Replay(recorder.run())
        #expect((0..<3).map { _ in replay.ids.next() } == ids)
    }
}

extension Attempt {
    fileprivate var isSecondFailure: Bool { if case .failed(_, number: 2) = self { true } else { false } }
}
