import Browser
import Feedback
import Fixtures
import Foundation
import LocalBackend
import Networking
import Presentation

/// The rows on the inspector.
let browserBenchmarks = [inspectedEvent]

private let inspectedEvent = Benchmark(
    "inspector attached: event with 100,000 entities", per: "event", operations: 100_000,
    goal: .nanosecondsMore(2_000),
    baseline: ("no inspector", { changeEntities(isInspected: false) }),
    ours: { changeEntities(isInspected: true) })

private func changeEntities(isInspected: Bool) {
    let screens = ScreenStack()
    let history = StepHistory()
    let following = isInspected ? history.follow(screens) : nil
    let model = LiveViewModel(RowsViewModel(count: 100_000))
    screens.push(LiveScreen(model, RowsRenderer(), onRoute: { _ in }))
    for number in 0..<100_000 { model.send(.change(number % 10, number)) }
    following?.dispose()
}

/// A change of one row in a list of 100, from the state to the bytes that a browser receives.
enum BrowserChange {
    static let name = "browser: a row changes in a list of 100"

    struct Outcome {
        /// The largest event, with its framing.
        let bytes: Int
        let median: Duration
        /// The 95th percentile.
        let late: Duration
    }

    static func measure(count: Int = 1_000) async throws -> Outcome {
        let model = LiveViewModel(RowsViewModel(count: 100))
        let backend = LocalBackend()
        let display = BrowserDisplay(title: "Rows", heartbeat: .seconds(3_600), isInspected: true) {
            RowsFlowController(model, on: $0)
        }
        display.serve(on: backend)
        let server = try await backend.start()
        let opening = TransportRequest(method: .GET, url: display.address(on: server))
        let opened = try await DefaultTransport().send(opening)
        let cookie = opened.header("Set-Cookie").map { String($0.prefix { $0 != ";" }) } ?? ""
        let events = try EventReader(server, path: "/browser/events", cookie: cookie)
        _ = try await events.next()
        var times: [Duration] = []
        var bytes = 0
        for number in 0..<count {
            let start = ContinuousClock.now
            model.send(.change(number % 100, number + 1))
            let event = try await events.next()
            times.append(ContinuousClock.now - start)
            bytes = max(bytes, "event: \(event.name)\ndata: \(event.data)\n\n".utf8.count)
        }
        await backend.stop(within: .milliseconds(100))
        times.sort()
        return Outcome(bytes: bytes, median: times[count / 2], late: times[count * 95 / 100])
    }
}

// MARK: - A list

private struct RowsViewModel: ViewModel {
    enum Action: Sendable { case change(Int, Int) }
    enum Event: ActionEvent { case ui(Action) }

    let count: Int
    var initial: [Int: Int] { Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, 0) }) }

    static func reduce(_ state: inout [Int: Int], _ event: Event) {
        switch event {
        case let .ui(.change(row, value)): state[row] = value
        }
    }
}

private struct RowsRenderer: Renderer {
    func render(_ state: [Int: Int]) -> Screen<RowsViewModel.Action> {
        Screen(
            title: "Cities",
            sections: [
                .init(
                    rows: (0..<min(100, state.count)).map { row in
                        .choice(
                            "City \(row)", detail: "\(state[row] ?? 0) inhabitants, in 25 minutes",
                            action: .change(row, 0))
                    })
            ])
    }
}

private final class RowsFlowController: FlowController {
    let screens: ScreenStack
    private let model: LiveViewModel<RowsViewModel>

    init(_ model: LiveViewModel<RowsViewModel>, on screens: ScreenStack) {
        self.model = model
        self.screens = screens
    }

    func start() { screens.push(LiveScreen(model, RowsRenderer(), onRoute: { _ in })) }
}
