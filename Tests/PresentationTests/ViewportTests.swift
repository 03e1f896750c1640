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

    @Test("Any height is survived", arguments: 0...6)
    func tiny(rows: Int) {
        var viewport = Viewport()
        #expect(texts(&viewport, rows: rows, focus: 99).count <= max(rows, 0))
        let empty = ScreenLayout(width: 40).parts(of: Screen<Int>(title: "Empty", sections: []))
        #expect(viewport.rows(of: empty, count: rows, focus: nil).count == min(rows, 2))
    }
}
