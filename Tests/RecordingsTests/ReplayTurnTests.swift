import Feedback
import FeedbackTesting
import Foundation
import Networking
import Presentation
import Testing

@testable import Recordings

/// A page that is fetched again when it has changed elsewhere, and closed when it is removed elsewhere.
private struct PageViewModel: ViewModel {
    struct State: Equatable, Sendable {
        var version = 1
        var body: String?
    }

    enum Action: Equatable, Sendable { case back }
    enum Event: ActionEvent, Equatable { case ui(Action), news(News), didLoad(String) }
    enum Route: Sendable { case leave }
    enum News: Equatable, Sendable { case changed, removed }

    let news: Signal<News, NoError>
    let transport: (any Transport)?

    var initial: State { State(body: transport == nil ? "" : nil) }

    var feedbacks: [Feedback<State, Event>] {
        [
            Feedback(source: news, as: { .news($0) }, name: "news"),
            Feedback(skippingRepeated: { $0.body == nil ? $0.version : nil }) { [transport] _ in
                guard let url = URL(string: "https://api.example/page"), let transport else { return nil }
                let response = try? await transport.send(TransportRequest(url: url))
                return .didLoad(String(decoding: response?.body ?? Data(), as: UTF8.self))
            },
        ]
    }

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .news(.changed): state.version += 1
        case let .didLoad(body): state.body = body
        case .ui, .news(.removed): break
        }
    }

    static func route(_ event: Event, _ state: State) -> Route? {
        switch event {
        case .ui(.back), .news(.removed): .leave
        default: nil
        }
    }
}

private struct PageRenderer: Renderer {
    func render(_ state: PageViewModel.State) -> Screen<PageViewModel.Action> {
        Screen(title: "Page \(state.version)", actions: [.init("Back", action: .back)])
    }
}

/// An event is reported before the loop reacts to it: before the effects that it cancels are cancelled, and before its
/// route is followed. Here a listener holds the loop at that moment.
@Suite("A replay waits until the loop has reacted to the events before the next act or answer")
struct ReplayTurnTests {
    private let screens = ScreenStack()
    private let news = Signal<PageViewModel.News, NoError>.pipe()

    private func push(_ transport: (any Transport)? = nil) {
        for news in [.never, news.output] {
            screens.push(
                LiveScreen(
                    PageViewModel(news: news, transport: news === self.news.output ? transport : nil),
                    PageRenderer()
                ) { [weak screens] route in
                    screens?.pop()
                })
        }
    }

    /// Replays a run, with a listener that holds the loop after the news.
    private func replay(_ run: Recording.Run, _ item: PageViewModel.News) async throws {
        let hold = DispatchSemaphore(value: 0)
        let requests = Locked(0)
        let replay = Replay(run, patience: .seconds(60))
        let transport = StubTransport { request throws(CoreError) in
            requests.withLock { $0 += 1 }
            return try await replay.transport.send(request)
        }
        try await replay.play(
            on: screens,
            start: {
                push(run.hasAnswer ? transport : nil)
                screens.steps.startWithValues { step in
                    if case let .reduced(event, _, _) = step.step, event as? PageViewModel.Event == .news(item) {
                        hold.wait()
                    }
                }
            },
            onEntry: { entry in
                switch entry {
                case let .event(event) where event.source == "news":
                    if run.hasAnswer { await eventually("the page is requested") { requests.withLock { $0 } == 1 } }
                    Thread.detachNewThread { news.input.send(value: item) }
                case .act, .answer:
                    // Lets the replay go on first.
                    Task {
                        for _ in 0..<1_000 { await Task.yield() }
                        hold.signal()
                    }
                case .event, .model: break
                }
            })
    }

    @Test("An act is that of the screen to which a route has led, not of the one above it")
    func act() async throws {
        let recorder = Recorder(features: [], services: [:])
        let following = recorder.follow(screens)
        push()
        news.input.send(value: .removed)
        screens.top?.screen.action(of: .uses("Back"))?()
        #expect(screens.screens.isEmpty)
        following.dispose()
        try await replay(recorder.run(), .removed)
        #expect(screens.screens.isEmpty)
    }

    @Test("An answer is that to the request which the event has led to, not to the one that it has cancelled")
    func answer() async throws {
        let recorder = Recorder(features: [], services: [:])
        let following = recorder.follow(screens)
        let requests = Locked(0)
        push(
            recorder.transport(
                StubTransport { request throws(CoreError) in
                    let number = requests.withLock { requests in
                        requests += 1
                        return requests
                    }
                    if number == 1 { return try await StubTransport.silent.send(request) }
                    return try TransportResponse(
                        status: 200, headers: [:], body: Data("news".utf8), url: request.url)
                }))
        await eventually("the page is requested") { requests.withLock { $0 } == 1 }
        news.input.send(value: .changed)
        await eventually("the page is there") { recorder.run().entries.count == 5 }
        following.dispose()
        screens.pop(to: 0)
        try await replay(recorder.run(), .changed)
    }
}

extension Recording.Run {
    fileprivate var hasAnswer: Bool { entries.contains { if case .answer = $0 { true } else { false } } }
}
