import Presentation
import Testing

struct ScreenLayoutTests {
    private let screen = Screen<String>(
        title: "東京 and everything else that makes a title long",
        sections: [
            .init(rows: [
                .notice(
                    .init(.error, "It failed:\nthe server is 👩‍👩‍👧 busy", button: .init("Try again", key: "t", action: ""))),
                .progress(.init("Loading", fraction: 0.42)),
                .text("A paragraph that is so long that it does not fit on one line of a terminal of any usual width."),
            ]),
            .init(
                "Form",
                rows: [
                    .field(.init("Street", text: "", placeholder: "Baker Street", problem: "Which?", edit: { $0 })),
                    .field(.init("長い名前の欄", text: "Llanfairpwllgwyngyllgogerychwyrndrobwll", edit: { $0 })),
                    .choice(.init("Zürich", detail: "CH", isSelected: true, action: "")),
                    .value("Population", "8,866,000"),
                    .button(.init("Press", isEnabled: false, action: "")),
                ]),
        ],
        actions: (1...6).map { .init("Action \($0)", key: .character(Character("\($0)")), action: "") })

    @Test("No line is ever wider than the terminal", arguments: 8...120)
    func width(width: Int) {
        for focus in [nil] + screen.controls.indices.map(Optional.some) {
            let parts = ScreenLayout(width: width, focus: focus).parts(of: screen)
            #expect(parts.lines.allSatisfy { $0.columns <= width })
        }
    }

    @Test("A field with a long text is as wide as the terminal", arguments: 20...80)
    func fieldWidth(width: Int) {
        let text = String(repeating: "x", count: 100)
        let screen = Screen<String>(
            title: "", sections: [.init(rows: [.field(.init("Street", text: text, edit: { $0 }))])])
        for focus in [nil, 0] {
            let field = ScreenLayout(width: width, focus: focus).parts(of: screen).lines.first { $0.control == 0 }
            #expect(field?.columns == width && field?.text.hasSuffix("]") == true)
        }
    }

    @Test("Of several buttons with one key only the one that the key presses shows it")
    func sharedKey() {
        let screen = Screen<String>(
            title: "",
            sections: [
                .init(rows: [
                    .notice(.error, "One.", button: .tryAgain("1")), .notice(.error, "Two.", button: .tryAgain("2")),
                ])
            ])
        #expect(
            ScreenLayout(width: 40).parts(of: screen).body.map(\.text)
                == ["✗ One.", "  [Ctrl-T] Try again", "✗ Two.", "  Try again"])
        #expect(screen.button(for: .control("t"))?.action == "1")
    }

    @Test("A disabled button shows a dash for its key, and leaves the key to another one")
    func disabledKey() {
        let screen = Screen<String>(
            title: "",
            sections: [.init(rows: [.button("Wait", key: "t", isEnabled: false, action: "wait")])],
            actions: [.init("Try again", key: "t", action: "try"), .init("Retry", key: "t", action: "again")])
        let parts = ScreenLayout(width: 60).parts(of: screen)
        #expect(parts.body.map(\.text) == ["  [–] Wait"])
        #expect(parts.footer.map(\.text) == ["", "[t] Try again  Retry"])
        #expect(screen.button(for: "t")?.action == "try")
    }

    @Test("A section without rows keeps its title")
    func emptySection() {
        let screen = Screen<String>(title: "", sections: [.init("Results", rows: []), .init(rows: [])])
        #expect(ScreenLayout(width: 40).parts(of: screen).body.map(\.text) == ["Results"])
    }

    @Test("On a narrow terminal columns stay columns, and text that is cut off ends with an ellipsis")
    func narrow() {
        let screen = Screen<String>(
            title: "",
            sections: [
                .init(rows: [
                    .choice("12 km NNE of Ridgecrest, California", detail: "M 4.5  2 km", action: ""),
                    .choice("Short", detail: "M 5.5", action: ""),
                ])
            ])
        let lines = ScreenLayout(width: 40).parts(of: screen).body.map(\.text)
        #expect(lines == ["  ○ 12 km NNE of Ridgec…  M 4.5  2 km", "  ○ Short                 M 5.5"])
    }

    @Test("Labels and fields stand in columns, and a problem stands under its field")
    func form() {
        let screen = Screen<String>(
            title: "",
            sections: [
                .init(rows: [
                    .field("Street", text: "", placeholder: "Baker Street", problem: "Which one?", edit: { $0 }),
                    .field("Town", text: "London", edit: { $0 }), .value("Population", "8,866,000"),
                ])
            ])
        let body = { (width: Int, focus: Int?) in ScreenLayout(width: width, focus: focus).parts(of: screen).body }
        #expect(
            body(62, nil).map(\.text) == [
                "  Street      [                         ] such as Baker Street", "              ! Which one?",
                "  Town        [London                   ]", "  Population  8,866,000",
            ])
        // There is no room for an example.
        #expect(body(61, nil).first?.text == "  Street      [                         ]")
        #expect(body(62, 0).map(\.caret) == [15, nil, nil, nil])
        #expect(body(62, 1).map(\.caret) == [nil, nil, 21, nil])
        #expect(body(62, 1)[2].spans.first?.role == .focus && body(62, 1)[0].spans.first?.role == .plain)
    }

    @Test("A long value goes on under its beginning")
    func longValue() {
        let screen = Screen<String>(
            title: "", sections: [.init(rows: [.value("Motto", "Lord, direct us in all that we do")])])
        #expect(
            ScreenLayout(width: 24).parts(of: screen).body.map(\.text)
                == ["  Motto  Lord, direct us", "         in all that we", "         do"])
    }

    @Test("A text is cut off, and not wrapped, if it has room for eight columns or fewer")
    func narrowText() {
        let body = { (row: Screen<String>.Row, width: Int) in
            ScreenLayout(width: width).parts(of: Screen(title: "", sections: [.init(rows: [row])])).body.map(\.text)
        }
        #expect(body(.notice(.error, "one two three"), 11) == ["✗ one two", "  three"])
        #expect(body(.notice(.error, "one two three"), 10) == ["✗ one two…"])
        #expect(body(.value("A", "one two three"), 14) == ["  A  one two", "     three"])
        #expect(body(.value("A", "one two three"), 13) == ["  A  one two…"])
    }

    @Test("The actions stand side by side as far as there is room")
    func footer() {
        let screen = Screen<String>(
            title: "",
            sections: [],
            actions: (1...3).map { .init("Act \($0)", key: .character(Character("\($0)")), action: "") })
        let footer = { (focus: Int?) in ScreenLayout(width: 26, focus: focus).parts(of: screen).footer.map(\.text) }
        #expect(footer(nil) == ["", "[1] Act 1  [2] Act 2", "[3] Act 3"])
        #expect(footer(1) == ["", "  [1] Act 1  ▸ [2] Act 2", "  [3] Act 3"])
    }

    @Test("As many actions stand on a line as fit, and one that is too long for a line has one of its own")
    func fullFooter() {
        func footer(_ titles: String..., width: Int) -> [String] {
            let screen = Screen<String>(title: "", actions: titles.map { .init($0, action: "") })
            return ScreenLayout(width: width).parts(of: screen).footer.map(\.text)
        }
        // Between two actions there is room for the mark of the focus.
        #expect(footer("One", "Two", width: 10) == ["", "One  Two"])
        #expect(footer("One", "Two", width: 9) == ["", "One", "Two"])
        #expect(footer("A long title", "Two", width: 8) == ["", "A long …", "Two"])
        #expect(footer(width: 8) == [])
    }

    @Test("A line of actions has the control of the focused one, or else of its first one")
    func controlsOfFooter() {
        let screen = Screen<String>(
            title: "", sections: [.init(rows: [.button("Press", action: "")])],
            actions: ["One", "Two", "Three"].map { .init($0, action: "") })
        let controls = { (focus: Int?) in
            ScreenLayout(width: 16, focus: focus).parts(of: screen).footer.compactMap(\.control)
        }
        #expect(controls(nil) == [1, 3])
        #expect(controls(1) == [1, 3])
        #expect(controls(2) == [2, 3])
    }

    @Test("In a line that is cut off the caret stays in sight")
    func caretOfCutLine() {
        var line = StyledLine("1234567890")
        line.caret = 4
        #expect(line.fitted(to: 8).caret == 4)
        line.caret = 9
        #expect(line.fitted(to: 8).caret == 7)
    }

    @Test("A line is cut off with an ellipsis wherever its pieces end", arguments: 1...10)
    func ellipsis(width: Int) {
        var line = StyledLine("1234")
        line.append("5678", .faint)
        line.append("90", .error)
        let text = line.fitted(to: width).text
        #expect(text == (width < 10 ? "1234567890".prefix(width - 1) + "…" : "1234567890"))
    }

    @Test("Nothing that is on the screen is lost on a wide terminal")
    func completeness() {
        let text = screen.text(width: 120)
        for part in ["Try again", "42 %", "such as Baker Street", "! Which?", "● Zürich", "8,866,000", "[6] Action 6"] {
            #expect(text.contains(part))
        }
        #expect(text.contains("  the server is"))
    }

    @Test("The focus shows without colours too, at every control")
    func focus() {
        for focus in screen.controls.indices {
            let lines = ScreenLayout(width: 80, focus: focus).parts(of: screen).lines
            #expect(lines.filter { $0.text.contains("▸") }.count == 1)
        }
        #expect(!screen.text().contains("▸"))
    }

    @Test("The control with the focus stands out, and one that cannot be used is faint")
    func roles() {
        let screen = Screen<String>(
            title: "",
            sections: [
                .init(rows: [
                    .choice("Zürich", detail: "CH", action: ""), .button("Press", action: ""),
                    .button("Wait", isEnabled: false, action: ""),
                ])
            ],
            actions: [.init("Save", action: ""), .init("Send", isEnabled: false, action: "")])
        // The roles of the titles; the marks of the focus and the details are left out.
        let roles = { (focus: Int?) in
            ScreenLayout(width: 40, focus: focus).parts(of: screen).lines.flatMap(\.spans)
                .filter { span in ["Zürich", "Press", "Wait", "Save", "Send"].contains { span.text.contains($0) } }
                .map(\.role)
        }
        #expect(roles(nil) == [.plain, .plain, .faint, .accent, .faint])
        for focus in 0..<5 {
            var expected = roles(nil)
            expected[focus] = .focus
            #expect(roles(focus) == expected)
        }
    }

    @Test("Each line of the body knows its control")
    func controls() {
        let body = ScreenLayout(width: 80).parts(of: screen).body
        #expect(body.compactMap(\.control) == [0, 1, 2, 3, 4])
    }

    @Test("Progress moves only with the tick")
    func ticks() {
        let screen = Screen<String>(title: "", sections: [.init(rows: [.progress(.init("Loading"))])])
        let pictures = (0..<4).map { ScreenLayout(width: 40, tick: $0).parts(of: screen) }
        #expect(pictures[0] != pictures[1])
        #expect(screen.text() == screen.text())
    }

    @Test("Any share of progress is drawn", arguments: [-1, 0, 0.001, 0.999, 1, 7, .infinity, .nan] as [Double])
    func progress(fraction: Double) {
        let screen = Screen<String>(title: "", sections: [.init(rows: [.progress(.init("", fraction: fraction))])])
        #expect(screen.text().contains(" %"))
        #expect(fraction == 1 || fraction == 7 || !screen.text().contains("100 %"))
    }

    @Test("Plain text has no control sequences, and coloured text has only those of colours")
    func palettes() {
        let hostile = Screen<String>(title: "\u{1B}[2J", sections: [.init("\u{7}", rows: [.text("\u{9B}H")])])
        let lines = ScreenLayout(width: 80).parts(of: hostile).lines
        #expect(!lines.map(Palette.plain.paint).joined().contains("\u{1B}"))
        let colored = lines.map(Palette.colored.paint).joined()
        let withoutColors = colored.replacing(/\u{1B}\[[0-9;]*m/, with: "")
        #expect(colored != withoutColors)
        #expect(!withoutColors.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    @Test("Any width and any tick can be asked for", arguments: [Int.min, -1, 0, .max])
    func limits(number: Int) {
        var layout = ScreenLayout(width: number, tick: number)
        let lines = layout.parts(of: screen).lines
        layout.width = number
        #expect(layout.parts(of: screen).lines == lines)
        #expect(!screen.text(width: number).isEmpty)
        let busy = Screen<String>(title: "", sections: [.init(rows: [.progress(.init("Loading"))])])
        #expect(layout.parts(of: busy).lines.count > 2)
    }
}
