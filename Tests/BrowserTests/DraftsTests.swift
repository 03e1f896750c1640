import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import LocalBackend
import Presentation
import Testing

@testable import Browser

/// Two stops of a journey, whose fields have the same label.
private struct StopsViewModel: ViewModel {
    enum Action: Equatable, Sendable { case edit(Int, String) }
    enum Event: ActionEvent, Equatable { case ui(Action) }

    let initial = ["", ""]

    static func reduce(_ state: inout [String], _ event: Event) {
        if case let .ui(.edit(stop, text)) = event { state[stop] = text }
    }
}

private struct StopsRenderer: Renderer {
    func render(_ stops: [String]) -> Screen<StopsViewModel.Action> {
        Screen(
            title: "Stops",
            sections: stops.enumerated().map { stop, text in
                .init("Stop \(stop + 1)", rows: [.field("City", text: text, edit: { .edit(stop, $0) })])
            })
    }
}

private final class StopsFlowController: FlowController {
    let screens: ScreenStack
    init(on screens: ScreenStack) { self.screens = screens }
    func start() { screens.push(LiveScreen(StopsViewModel(), StopsRenderer())) }
}

@Suite(
    "Texts that were typed into fields of one label, in a real browser",
    .enabled(if: WebBrowser.isInstalled, "chromium and chromedriver are not installed"))
struct DraftsTests {
    @Test("After a restart of the server, each field has its own text again")
    func restart() async throws {
        try await WebBrowser.use { browser in
            var port = 0
            try await withStops { page, stacks in
                port = page.port ?? 0
                try await browser.go(to: page)
                try await browser.sees("Stops")
                try await browser.type("London", into: "section:nth-of-type(1) input")
                try await browser.type("Paris", into: "section:nth-of-type(2) input")
                await eventually("the server has the texts") { texts(in: stacks) == ["London", "Paris"] }
            }
            try await browser.sees("The connection is lost", in: "#connection:not([hidden])")
            try await withStops(port: port) { _, stacks in
                await eventually("each text is in its field", within: .seconds(20)) {
                    texts(in: stacks) == ["London", "Paris"]
                }
            }
        }
    }

    @Test("A text that does not reach the server is sent again, and the page does not stay without a connection")
    func lostMessage() async throws {
        try await withStops { page, stacks in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Stops")
                try await browser.run(
                    "const send = fetch; window.fetch = () => { window.fetch = send; return Promise.reject('lost'); };")
                try await browser.type("L", into: "section:nth-of-type(2) input")
                await eventually("the server has the text", within: .seconds(20)) { texts(in: stacks) == ["", "L"] }
                try await eventually("the page is connected") {
                    try await browser.run("return String(connection.hidden)") == "true"
                }
            }
        }
    }

    private func texts(in stacks: MutableProperty<[ScreenStack]>) -> [String] {
        (stacks.value.first?.top?.screen.controls ?? []).compactMap { control in
            if case let .field(field) = control { field.text } else { nil }
        }
    }

    private func withStops(
        port: Int = 0, _ body: (_ page: URL, _ stacks: MutableProperty<[ScreenStack]>) async throws -> Void
    ) async throws {
        let stacks = MutableProperty<[ScreenStack]>([])
        let display = BrowserDisplay(title: "Stops", secret: "open sesame") { screens in
            stacks.modify { $0.append(screens) }
            return StopsFlowController(on: screens)
        }
        let backend = LocalBackend()
        display.serve(on: backend)
        let address = try await backend.start(port: port)
        try await body(display.address(on: address), stacks)
        await backend.stop(within: .milliseconds(100))
    }
}
