import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import Testing

@testable import Browser

@Suite(
    "Screens in a real browser", .serialized,
    .enabled(if: WebBrowser.isInstalled, "chromium and chromedriver are not installed"))
struct BrowserTests {
    private let field = "input[data-label='Text']"

    @Test("Typing, buttons, keys and the back button use the screens")
    func flow() async throws {
        try await withNotes { page, stacks in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Notes")
                #expect(!(try await browser.run("return location.href").contains("key")))
                try await browser.type("Milk", into: field)
                try await browser.sees("Add", in: "button:not(:disabled)")
                try await browser.click("nav button")
                try await browser.sees("Milk", in: ".choice")
                try await browser.type("Bread\u{E007}", into: field)
                try await browser.sees("Bread", in: ".choice:nth-child(2)")
                #expect(try await browser.run("return document.querySelector(\"\(field)\").value").isEmpty)

                try await browser.click(".choice button")
                try await browser.sees("A note")
                try await browser.press("\u{E00C}")
                try await browser.sees("All notes")
                try await browser.click(".choice button")
                try await browser.sees("A note")
                try await browser.goBack()
                try await browser.sees("All notes")
                // A screen that was left does not come again, and the way back stays right.
                try await browser.run("window.went = 0; addEventListener('popstate', () => { went += 1; });")
                try await browser.run("history.forward()")
                try await eventually("the browser went forward and came back") {
                    try await browser.run("return went + ' ' + history.state.depth") == "2 1"
                }
                try await browser.click(".choice button")
                try await browser.sees("A note")
                try await browser.goBack()
                try await browser.sees("All notes")
                #expect(stacks.value.count == 1)
            }
        }
    }

    @Test("The browser stays on the page when screens go that were there before it, or several in quick succession")
    func leavingScreens() async throws {
        try await withNotes(notes: ["Milk"]) { page, _ in
            try await WebBrowser.use { browser in
                func isOnFirstScreen() async throws -> Bool {
                    try await browser.run("return location.pathname + history.state?.depth") == "/1"
                }
                try await browser.go(to: page)
                try await browser.sees("Notes")
                try await browser.click(".choice button")
                try await browser.sees("A note")
                try await browser.go(to: try #require(URL(string: "about:blank")))
                try await browser.go(to: try #require(URL(string: "/", relativeTo: page)))
                try await browser.sees("A note")
                try await browser.press("\u{E00C}")
                try await browser.sees("All notes")
                try await eventually("the browser's history has followed", isOnFirstScreen)

                try await browser.run("for (const depth of [2, 3, 4, 3, 2, 1]) receivePage({ ...page, depth });")
                try await eventually("the browser's history has followed", isOnFirstScreen)
                try await browser.sees("All notes")
                #expect(try await browser.run("return String(isFollowing)") == "false")
            }
        }
    }

    @Test("Hostile texts are shown as text")
    func hostile() async throws {
        let notes = [
            "<script>document.title = 'taken'</script>", "\"><img src=x onerror=\"document.title='taken'\">",
            "\u{202E}gpj.exe", String(repeating: "long ", count: 2_000),
        ]
        try await withNotes(notes: notes) { page, _ in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("<script>", in: ".choice")
                #expect(try await browser.run("return document.title") == "Notes")
                #expect(
                    try await browser.run("return String(document.querySelectorAll('.choice, .choice img').length)")
                        == "4")
            }
        }
    }

    @Test("A text that is being typed, its caret and the focus survive changes of the screen")
    func typing() async throws {
        try await withNotes { page, stacks in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Notes")
                try await browser.type("half a wo", into: field)
                let stack = try #require(stacks.value.first)
                try await browser.run("document.activeElement.setSelectionRange(4, 4)")
                for _ in 0..<20 {
                    stack.top?.screen.button(for: "w")?.action()
                    try await browser.press("x")
                }
                try await eventually("the server has the text") {
                    let state = try await browser.run("return document.activeElement.getAttribute('value')")
                    return state == "half" + String(repeating: "x", count: 20) + " a wo"
                }
                #expect(try await browser.run("return document.activeElement.dataset.label") == "Text")
                #expect(try await browser.run("return String(document.activeElement.selectionStart)") == "24")
                // The key of "Work" was typed too: as a letter.
                #expect(try await browser.run("return String(document.querySelectorAll('progress').length)") == "0")
            }
        }
    }

    @Test("A field shows the text that the view model has, also if that has refused an edit")
    func refusing() async throws {
        try await withNotes { page, stacks in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Notes")
                try await browser.type("1!", into: field)
                try await eventually("the field shows the text that was not refused") {
                    try await browser.run("return document.activeElement.value") == "1"
                }
                try await browser.press("2")
                await eventually("the server has the text") {
                    guard case let .field(field)? = stacks.value.first?.top?.screen.controls.first else { return false }
                    return field.text == "12"
                }
            }
        }
    }

    @Test("A text that is being composed is left alone until it is complete")
    func composing() async throws {
        try await withNotes { page, stacks in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Notes")
                let shown = try await browser.run(
                    """
                    window.field = document.querySelector("\(field)");
                    field.focus();
                    field.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }));
                    field.value = 'に';
                    morph(main.firstElementChild, main.firstElementChild.cloneNode(true));
                    return field.value;
                    """)
                #expect(shown == "に")
                try await browser.run("field.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }));")
                await eventually("the server has the text") {
                    guard case let .field(field)? = stacks.value.first?.top?.screen.controls.first else { return false }
                    return field.text == "に"
                }
            }
        }
    }

    @Test(
        "A letter with Alt presses a button; a sign that Option makes of it is typed",
        arguments: [
            ("a", "KeyQ", true, "true Alt+A"), ("s", "KeyS", true, "true Alt+S"), ("ß", "KeyS", true, "false Alt+S"),
            ("Dead", "KeyN", true, "false Alt+N"), ("ß", "KeyS", false, "true Alt+S"),
            ("å", "KeyA", false, "true Alt+A"),
        ])
    func option(key: String, code: String, isTyping: Bool, expected: String) async throws {
        try await withNotes { page, _ in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Work")
                let result = try await browser.run(
                    """
                    const event = new KeyboardEvent('keydown',
                      { key: '\(key)', code: '\(code)', altKey: true, bubbles: true, cancelable: true });
                    const name = shortcut(event);
                    main.querySelector('nav button:last-child').dataset.key = name;
                    (\(isTyping) ? document.querySelector("\(field)") : main).dispatchEvent(event);
                    return event.defaultPrevented + ' ' + name;
                    """)
                #expect(result == expected)
            }
        }
    }

    @Test("After a restart of the server the page comes back by itself, with the text that was typed")
    func restart() async throws {
        try await WebBrowser.use { browser in
            var port = 0
            try await withNotes { page, _ in
                port = page.port ?? 0
                try await browser.go(to: page)
                try await browser.sees("Notes")
                try await browser.type("half a word", into: field)
                try await eventually("the server has the text") {
                    try await browser.run("return document.querySelector(\"\(field)\").getAttribute('value')")
                        == "half a word"
                }
            }
            try await browser.sees("The connection is lost", in: "#connection:not([hidden])")
            try await browser.type(" and more", into: field)
            try await withNotes(port: port) { _, stacks in
                await eventually("the text is back on the new server") {
                    guard case let .field(field)? = stacks.value.first?.top?.screen.controls.first else { return false }
                    return field.text == "half a word and more"
                }
                let isHidden = try await browser.run("return String(document.querySelector('#connection').hidden)")
                #expect(isHidden == "true")
            }
        }
    }

    @Test("A tab that nobody sees holds no connection; seen again, it shows what has changed")
    func hidden() async throws {
        try await withNotes { page, stacks in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Notes")
                try await browser.type("Milk", into: field)
                try await browser.setHidden(true)
                #expect(try await browser.run("return String(events)") == "null")
                stacks.value.first?.top?.screen.button(for: "w")?.action()
                try await browser.setHidden(false)
                try await browser.sees("Working")
                #expect(try await browser.run("return document.querySelector(\"\(field)\").value") == "Milk")
                #expect(stacks.value.count == 1)
            }
        }
    }

    @Test(
        "A tab that is seen again stays where it was scrolled to, also if the title has changed",
        arguments: [true, false])
    func hiddenTitle(isHiddenBefore: Bool) async throws {
        try await withNotes(notes: (1...100).map { "Note \($0)" }) { page, stacks in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Note 100")
                if isHiddenBefore { try await browser.setHidden(true) }
                guard case let .field(field)? = stacks.value.first?.top?.screen.controls.first else {
                    return #expect(Bool(false), "no field")
                }
                field.edit("# Shopping")()
                if !isHiddenBefore {
                    try await browser.sees("# Shopping", in: "h1")
                    try await browser.setHidden(true)
                }
                try await browser.run("window.scrollTo(0, 500)")
                let stream = try await browser.run("return page.stream")
                try await browser.setHidden(false)
                try await eventually("the page is connected again") {
                    try await browser.run("return page.stream") != stream
                }
                #expect(try await browser.run("return document.querySelector('h1').textContent") == "# Shopping")
                #expect(try await browser.run("return String(Math.round(window.scrollY))") == "500")
            }
        }
    }

    @Test("After a way back that stays on the screen, the browser can go back again, and stays on the page")
    func stayingBack() async throws {
        try await withNotes(notes: ["Kept"]) { page, _ in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Notes")
                try await browser.click(".choice button")
                try await browser.sees("A note")
                for _ in 1...3 {
                    try await browser.goBack()
                    try await eventually("the browser's history has followed") {
                        try await browser.run("return location.pathname + handled + sent + history.state?.depth")
                            .firstMatch(of: /^\/(\d+)\g{1}2$/) != nil
                    }
                }
                try await browser.sees("A note")
            }
        }
    }

    @Test("If the control that has the focus goes, the next one gets it, and else the heading")
    func focus() async throws {
        try await withNotes(notes: ["Milk", "Bread"]) { page, _ in
            try await WebBrowser.use { browser in
                let focused = "return document.activeElement.innerText"
                try await browser.go(to: page)
                try await browser.sees("Bread")
                try await browser.run("document.querySelector('.choice button').focus()")
                try await browser.run(
                    "receiveChange({ handled, changes: [{ section: 's2', from: 0, removed: 1, inserted: [] }] })")
                #expect(try await browser.run(focused).contains("Bread"))
                try await browser.run("document.querySelector('nav button:last-child').focus()")
                try await browser.run("receiveChange({ handled, changes: [{ actions: '<nav id=actions></nav>' }] })")
                #expect(try await browser.run(focused) == "Notes")
                // A button that is disabled for a time gets it back.
                func show(_ button: String) async throws {
                    try await browser.run(
                        "receiveChange({ handled, changes: [{ actions: '<nav id=actions>\(button)</nav>' }] })")
                }
                try await show("<button>Go</button>")
                try await browser.run("document.querySelector('nav button').focus()")
                try await show("<button disabled>Go</button>")
                try await eventually("the browser has taken the focus") {
                    try await browser.run("return document.activeElement.tagName") == "BODY"
                }
                try await show("<button>Go</button>")
                #expect(try await browser.run(focused) == "Go")
            }
        }
    }

    @Test("The scroll position survives changes of the screen, and comes back with a screen that was left for another")
    func scrolling() async throws {
        try await withNotes(notes: (1...100).map { "Note \($0)" }) { page, stacks in
            try await WebBrowser.use { browser in
                let place = "return String(Math.round(window.scrollY))"
                try await browser.go(to: page)
                try await browser.sees("Note 100")
                try await browser.run("window.scrollTo(0, 2000)")
                stacks.value.first?.top?.screen.button(for: "w")?.action()
                try await browser.sees("Working")
                stacks.value.first?.top?.screen.button(for: "w")?.action()
                try await eventually("nothing is under way") {
                    try await browser.run("return String(document.querySelectorAll('progress').length)") == "0"
                }
                #expect(try await browser.run(place) == "2000")
                try await browser.click(".choice:nth-child(50) button")
                try await browser.sees("Note 50", in: ".text")
                #expect(try await browser.run(place) == "0")
                let left = try await browser.run("return String(Math.round(scrolls[1]))")
                try await browser.press("\u{E00C}")
                try await browser.sees("All notes")
                try await eventually("the browser's history has followed") {
                    try await browser.run("return String(isFollowing) + history.state.depth") == "false1"
                }
                #expect(try await browser.run(place) == left)
                #expect((Int(left) ?? 0) > 1_000)
            }
        }
    }

    @Test("Progress is announced to screen readers, and the heading of a new screen gets the focus")
    func announcing() async throws {
        try await withNotes(notes: ["Milk"]) { page, stacks in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Milk")
                #expect(try await browser.run("return announcer.getAttribute('aria-live')") == "polite")
                stacks.value.first?.top?.screen.button(for: "w")?.action()
                try await eventually("it is announced") {
                    try await browser.run("return announcer.textContent") == "Working"
                }
                try await browser.click(".choice button")
                try await browser.sees("A note")
                #expect(
                    try await browser.run("return document.activeElement.tagName + document.activeElement.textContent")
                        == "H1A note")
                let saved =
                    "<article><h1>A note</h1><ul><li class=notice data-announce>It is saved.</li></ul></article>"
                try await browser.run("receiveChange({ handled, changes: [{ everything: '\(saved)' }] })")
                #expect(try await browser.run("return announcer.textContent") == "It is saved.")
            }
        }
    }

    @Test("Of several news at once all are announced, and nothing again because another section has come")
    func announcingOnce() async throws {
        try await withNotes { page, _ in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Notes")
                func notice(_ number: Int) -> String { "<li id=n\(number) data-announce>Notice \(number).</li>" }
                try await browser.run(
                    """
                    const inserted = ['\(notice(1))', '\(notice(2))'].map((html) => ({ html }));
                    receiveChange({ handled, changes: [{ section: 's0', from: 0, removed: 0, inserted }] });
                    """)
                #expect(try await browser.run("return announcer.textContent") == "Notice 1. Notice 2.")
                try await browser.run(
                    """
                    const everything = '<article><h1>Notes</h1><section><ul id=s7>\(notice(3))</ul></section>'
                        + '<section><ul id=s0>\(notice(1))\(notice(2))</ul></section></article>';
                    receiveChange({ handled, changes: [{ everything }] });
                    """)
                #expect(try await browser.run("return announcer.textContent") == "Notice 3.")
            }
        }
    }

    @Test("Nothing moves by itself for a reader who asks for less motion")
    func motion() async throws {
        try await withNotes { page, stacks in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Notes")
                stacks.value.first?.top?.screen.button(for: "w")?.action()
                try await browser.sees("Working")
                let appearance = "return getComputedStyle(document.querySelector('progress')).appearance"
                try await browser.emulate(width: 1_200)
                #expect(try await browser.run(appearance) == "auto")
                try await browser.emulate(width: 1_200, reducesMotion: true)
                #expect(try await browser.run(appearance) == "none")
                #expect(try await browser.run("return String(document.getAnimations().length)") == "0")
            }
        }
    }

    @Test("A page whose session was given to others begins anew when it is used")
    func evicted() async throws {
        try await withNotes { page, stacks in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Notes")
                // Three other sessions that are watched fill the display.
                var tabs: [Tab] = []
                for _ in 0..<3 {
                    try await tabs.append(Tab(page))
                    _ = try await tabs.last?.page()
                }
                try await browser.type("Milk", into: field)
                await eventually("there is a new session, with the text") {
                    guard case let .field(field)? = stacks.value.last?.top?.screen.controls.first else { return false }
                    return stacks.value.count == 5 && field.text == "Milk"
                }
                withExtendedLifetime(tabs) {}
            }
        }
    }

    @Test("Two browsers have screens of their own")
    func two() async throws {
        try await withNotes { page, stacks in
            try await WebBrowser.use { one in
                try await WebBrowser.use { other in
                    try await one.go(to: page)
                    try await other.go(to: page)
                    try await one.type("Milk\u{E007}", into: field)
                    try await one.sees("Milk", in: ".choice")
                    try await other.sees("Notes")
                    #expect(try await other.run("return String(document.querySelectorAll('.choice').length)") == "0")
                    #expect(stacks.value.count == 2)
                }
            }
        }
    }
}

extension WebBrowser {
    /// Tells the page that its tab is, or is not, in the background.
    func setHidden(_ isHidden: Bool) async throws {
        try await run(
            """
            Object.defineProperty(document, 'hidden', { configurable: true, get: () => \(isHidden) });
            document.dispatchEvent(new Event('visibilitychange'));
            """)
    }

    /// Waits until an element shows a text. The page itself shows its title before it has the screen.
    func sees(_ text: String, in selector: String = "main[aria-busy=false]") async throws {
        try await eventually("the page shows \(text)") {
            try await run(
                "return [...document.querySelectorAll(\"\(selector)\")].map((each) => each.innerText).join('\\n')"
            ).contains(text)
        }
    }
}
