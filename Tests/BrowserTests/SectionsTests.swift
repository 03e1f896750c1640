import Feedback
import Fixtures
import Foundation
import LocalBackend
import Presentation
import Testing

@testable import Browser

/// A field whose section stays, while one above it comes and goes with each letter, and one below it has another title.
private struct LettersViewModel: ViewModel {
    enum Action: Equatable, Sendable { case edit(String), choose(String) }
    enum Event: ActionEvent, Equatable { case ui(Action) }

    let initial = ""

    static func reduce(_ state: inout String, _ event: Event) {
        switch event {
        case let .ui(.edit(text)): state = text
        case let .ui(.choose(letter)): state += letter
        }
    }
}

private struct LettersRenderer: Renderer {
    func render(_ text: String) -> Screen<LettersViewModel.Action> {
        Screen(
            title: "Letters",
            sections: (text.count % 2 == 1 ? [.init("Odd", rows: [.field("Odd", text: "", edit: { .edit($0) })])] : [])
                + [
                    .init(
                        text.isEmpty ? nil : "\(text.count) letters",
                        rows: [.field("Text", text: text, edit: { .edit($0) })]),
                    .init("\(text.count) were chosen", rows: ["a", "b", "c"].map { .choice($0, action: .choose($0)) }),
                ])
    }
}

private final class LettersFlowController: FlowController {
    let screens: ScreenStack
    init(on screens: ScreenStack) { self.screens = screens }
    func start() { screens.push(LiveScreen(LettersViewModel(), LettersRenderer())) }
}

@Suite(
    "Sections that come, go or have another title, in a real browser",
    .enabled(if: WebBrowser.isInstalled, "chromium and chromedriver are not installed"))
struct SectionsTests {
    private let field = "input[data-label='Text']"

    @Test("A text that is being typed, its caret and the focus survive them")
    func typing() async throws {
        try await withLetters { page in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Letters")
                try await browser.type("abcdefghijkl", into: field)
                try await browser.sees("12 letters", in: "h2")
                #expect(try await browser.run("return document.activeElement.value") == "abcdefghijkl")
                try await browser.run("document.activeElement.setSelectionRange(3, 3)")
                try await browser.press("1234567")
                try await browser.sees("19 letters", in: "h2")
                #expect(try await browser.run("return document.activeElement.value") == "abc1234567defghijkl")
                #expect(try await browser.run("return String(document.activeElement.selectionStart)") == "10")
            }
        }
    }

    @Test("A choice keeps the focus, which goes to no other one")
    func choosing() async throws {
        try await withLetters { page in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Letters")
                try await browser.run("document.querySelector('.choice:nth-child(2) button').focus()")
                for count in 1...3 {
                    try await browser.press("\u{E007}")
                    try await browser.sees("\(count) were chosen")
                    #expect(try await browser.run("return document.activeElement.textContent") == "b")
                }
                #expect(try await browser.run("return document.querySelector(\"\(field)\").value") == "bbb")
            }
        }
    }

    private func withLetters(_ body: (_ page: URL) async throws -> Void) async throws {
        let display = BrowserDisplay(title: "Letters", secret: "open sesame") { LettersFlowController(on: $0) }
        let backend = LocalBackend()
        display.serve(on: backend)
        let address = try await backend.start()
        try await body(display.address(on: address))
        await backend.stop(within: .milliseconds(100))
    }
}
