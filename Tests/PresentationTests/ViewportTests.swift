import Testing

@testable import Presentation

struct ViewportTests {
    private let screen = Screen<Int>(
        title: "Long",
        sections: [.init(rows: (0..<100).map { .choice(.init("Row \($0)", action: $0)) })],
        actions: [.init("Leave", action: -1)])

    private func texts(_ viewport: inout Viewport, rows: Int, focus: Int?) -> [String] {
        let parts = ScreenLayout(width: 40, focus: focus).parts(of: screen)
        return viewport.rows(of: parts, count: rows, focus: focus).map(\.text)
    }

    @Test("The focus is always in sight, with the title and the actions", arguments: [10, 24, 60, 200])
    func following(rows: Int) {
        var viewport = Viewport()
        for focus in Array(0..<100) + (0..<100).reversed() {
            let texts = texts(&viewport, rows: rows, focus: focus)
            #expect(texts.count <= rows)
            #expect(texts.first == "Long")
            #expect(texts.last?.contains("Leave") == true)
            #expect(texts.contains("▸ ○ Row \(focus)"))
        }
    }

    @Test("Hidden rows are counted")
    func counting() {
        var viewport = Viewport()
        let texts = texts(&viewport, rows: 14, focus: 50)
        let hidden = texts.compactMap { text in
            text.hasPrefix("↑") || text.hasPrefix("↓") ? Int(text.filter(\.isNumber)) : nil
        }
        let shown = texts.filter { $0.contains("Row") }.count
        #expect(hidden.reduce(shown, +) == 100)
    }

    @Test("Scrolling moves by pages, and not past the ends")
    func scrolling() {
        var viewport = Viewport()
        let parts = ScreenLayout(width: 40).parts(of: screen)
        viewport.scroll(pages: 1, in: parts, rows: 14)
        #expect(viewport.rows(of: parts, count: 14, focus: nil).map(\.text).contains("  ○ Row 9"))
        viewport.scroll(pages: 1_000, in: parts, rows: 14)
        #expect(viewport.rows(of: parts, count: 14, focus: nil).map(\.text).contains("  ○ Row 99"))
        viewport.scroll(pages: -1_000, in: parts, rows: 14)
        #expect(viewport.rows(of: parts, count: 14, focus: nil).map(\.text).contains("  ○ Row 0"))
    }

    @Test(
        "Every control can be reached on the smallest of terminals", arguments: [(40, 10), (20, 5), (20, 2), (12, 1)])
    func small(columns: Int, rows: Int) {
        let screen = Screen<Int>(
            title: "A title that is too long",
            sections: [
                .init(
                    "Form",
                    rows: [
                        .field(.init("Name of the person", text: "", problem: "It is missing.", edit: { _ in 0 })),
                        .text("A text that takes some lines."), .choice("Choice", action: 1),
                    ])
            ],
            actions: (2...7).map { .init("Action \($0)", key: "a", action: $0) })
        for focus in screen.controls.indices {
            var viewport = Viewport()
            let parts = ScreenLayout(width: columns, focus: focus).parts(of: screen)
            let shown = viewport.rows(of: parts, count: rows, focus: focus)
            #expect(shown.count <= rows)
            #expect(shown.contains { $0.text.contains("▸") })
        }
    }

    @Test("The view moves no further than it must to show the focus, which no mark of hidden rows covers")
    func leastMove() {
        var viewport = Viewport()
        // Ten lines of the body, between the title and the actions.
        func body(_ focus: Int, _ viewport: inout Viewport) -> [String] {
            Array(texts(&viewport, rows: 14, focus: focus).dropFirst(2).dropLast(2))
        }
        func rows(_ rows: ClosedRange<Int>, _ focus: Int) -> [String] {
            rows.map { ($0 == focus ? "▸" : " ") + " ○ Row \($0)" }
        }
        #expect(body(8, &viewport) == rows(0...8, 8) + ["↓ 91 more lines"])
        #expect(body(9, &viewport) == ["↑ 2 more lines"] + rows(2...9, 9) + ["↓ 90 more lines"])
        #expect(body(2, &viewport) == ["↑ 2 more lines"] + rows(2...9, 2) + ["↓ 90 more lines"])
        #expect(body(1, &viewport) == rows(0...8, 1) + ["↓ 91 more lines"])
        #expect(body(99, &viewport) == ["↑ 91 more lines"] + rows(91...99, 99))
        #expect(body(91, &viewport) == ["↑ 91 more lines"] + rows(91...99, 91))
        #expect(body(90, &viewport) == ["↑ 90 more lines"] + rows(90...97, 90) + ["↓ 2 more lines"])
    }

    @Test("A page is two lines less than are shown, or one line")
    func pages() {
        let parts = ScreenLayout(width: 40).parts(of: screen)
        for (rows, offset) in [(14, 8), (3, 1), (2, 1), (1, 1)] {
            var viewport = Viewport()
            viewport.scroll(pages: 1, in: parts, rows: rows)
            #expect(viewport.offset == offset, "\(rows) rows")
            viewport.scroll(pages: -1, in: parts, rows: rows)
            #expect(viewport.offset == 0, "\(rows) rows")
        }
    }

    @Test("With fewer rows first the lines around the body go, then the actions scroll with it, then the title does")
    func fewRows() {
        func rows(_ count: Int, _ focus: Int) -> [String] {
            var viewport = Viewport()
            return texts(&viewport, rows: count, focus: focus)
        }
        let first = ["▸ ○ Row 0", "  ○ Row 1", "  ○ Row 2"]
        #expect(Array(rows(8, 0).dropFirst(2)) == first + ["↓ 97 more lines", "", "  Leave"])
        #expect(rows(8, 0).first == "Long" && rows(8, 0)[1].hasPrefix("──"))
        #expect(rows(7, 0) == ["Long"] + first + ["  ○ Row 3", "↓ 96 more lines", "  Leave"])
        #expect(rows(6, 0) == ["Long"] + first + ["↓ 97 more lines", "  Leave"])
        #expect(rows(5, 0) == ["Long"] + first + ["↓ 98 more lines"])
        #expect(rows(4, 0) == ["Long"] + first.prefix(2) + ["↓ 99 more lines"])
        // No row is left for marks.
        #expect(rows(3, 0) == ["Long"] + first.prefix(2))
        #expect(rows(3, 5) == ["  ○ Row 3", "  ○ Row 4", "▸ ○ Row 5"])
        #expect(rows(1, 100) == ["▸ Leave"])
    }

    @Test("Any height is survived", arguments: 0...6)
    func tiny(rows: Int) {
        var viewport = Viewport()
        #expect(texts(&viewport, rows: rows, focus: 99).count <= max(rows, 0))
        let empty = ScreenLayout(width: 40).parts(of: Screen<Int>(title: "Empty", sections: []))
        #expect(viewport.rows(of: empty, count: rows, focus: nil).count == min(rows, 2))
    }
}
