@testable import Presentation
import Testing

@testable import Browser

@Suite("The page of a screen")
struct PageTests {
    @Test("A row that changes is the only change, and keeps its id")
    func oneRow() {
        var page = Page()
        _ = page.update(to: .list((1...100).map { ("City \($0)", "\($0)") }))
        let ids = page.sections[0].rows.map(\.id)

        var rows = (1...100).map { ("City \($0)", "\($0)") }
        rows[41].1 = "changed"
        let changes = page.update(to: .list(rows))

        #expect(
            changes == [
                .row(
                    .init(
                        id: ids[41],
                        content: .choice(title: "City 42", detail: "changed", isSelected: false, isEnabled: true)))
            ])
        #expect(page.sections[0].rows.map(\.id) == ids)
    }

    @Test("A change of one row among a hundred takes less than a kilobyte")
    func size() {
        var page = Page()
        var rows = (1...100).map { ("City \($0)", "\($0) inhabitants, in 25 minutes") }
        _ = page.update(to: .list(rows))
        rows[41].1 = "42 inhabitants, in 35 minutes"
        let changes = page.update(to: .list(rows))
        #expect(PageMessage.change(changes, handled: 7).json(of: page).utf8.count < 1_024)
    }

    @Test("Keys have the names that browsers give them")
    func keys() {
        let keys: [Key] = [.up, .down, .left, .right, .enter, .escape, .control("s"), " ", "x"]
        #expect(
            keys.map(\.shortcut) == [
                "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Enter", "Escape", "Alt+S", "Space", "x",
            ])
    }

    @Test("Buttons with ever new titles have ids of their own, and one that stays keeps its id")
    func manyTitles() {
        var page = Page()
        var ids: Set<String> = []
        for number in 0..<1_000 {
            let titles = ["Leave", "Delete \(number)"]
            _ = page.update(
                to: Screen<String>(title: "", actions: titles.map { .init($0, action: $0) }).map { action in
                    AnyAction(action) {}
                })
            ids.formUnion(page.actions.map(\.id))
        }
        #expect(ids.count == 1_001)
    }

    @Test("The ids of as many titles as a page remembers stay, also of buttons that are not shown")
    func rememberedTitles() {
        var page = Page()
        func id(of title: Int) -> String? {
            let screen = Screen<Int>(title: "", actions: [.init("Delete \(title)", action: title)])
            _ = page.update(to: screen.live)
            return page.actions.first?.id
        }
        for title in 0..<256 { #expect(id(of: title) == "a\(title)") }
        for title in [0, 1, 255] { #expect(id(of: title) == "a\(title)") }
        // One more is too many: then only those that are shown are remembered.
        #expect(id(of: 256) == "a256")
        #expect(id(of: 1) == "a1")
        #expect(id(of: 2) == "a257" && id(of: 1) == "a1")
    }

    @Test("A section is labelled by its title, if it has one")
    func labels() {
        var page = Page()
        _ = page.update(
            to: Screen<String>(
                title: "Notes", sections: [.init(rows: [.text("Milk")]), .init("Old", rows: [])],
                actions: [.init("Save", action: "")]
            ).live)
        #expect(
            page.html.string == #"<article><h1 tabindex="-1" dir="auto">Notes</h1>"#
                + #"<section><ul id="s0"><li id="r1" class="text"><p dir="auto">Milk</p></li></ul></section>"#
                + #"<section aria-labelledby="s1-title"><h2 id="s1-title" dir="auto">Old</h2><ul id="s1"></ul></section>"#
                + #"<nav id="actions" aria-label="Actions"><button type="button" data-control="a0">"#
                + "<bdi>Save</bdi></button></nav></article>")
    }

    @Test("Equal screens make no change")
    func nothing() {
        var page = Page()
        _ = page.update(to: .list([("A", ""), ("A", "")]))
        #expect(page.update(to: .list([("A", ""), ("A", "")])) == [])
    }

    @Test("Rows whose names look numbered, and buttons too, are not taken for those of one name")
    func numberedNames() {
        var page = Page()
        func screen(_ detail: String) -> Screen<AnyAction> {
            let names = ["A", "A", "A 1"]
            return Screen<String>(
                title: "List", sections: [.init(rows: names.map { .choice($0, detail: detail, action: $0) })],
                actions: names.map { .init($0, action: $0) }
            ).live
        }
        _ = page.update(to: screen("old"))
        #expect(page.update(to: screen("old")) == [])
        #expect(page.update(to: screen("new")).count == 3)
        #expect(Set(page.sections[0].rows.map(\.id)).count == 3)
        #expect(Set(page.actions.map(\.id)).count == 3)
    }

    @Test("Rows are inserted, removed and moved; those that stay keep their ids")
    func rows() {
        var page = Page()
        _ = page.update(to: .list([("A", ""), ("B", ""), ("C", ""), ("D", "")]))
        #expect(
            page.update(to: .list([("A", ""), ("C", ""), ("E", ""), ("B", ""), ("D", "")])) == [
                .rows(
                    section: 0, from: 1, removed: 2,
                    inserted: [
                        .moved(id: "r3"),
                        .new(
                            .init(
                                id: "r5", content: .choice(title: "E", detail: "", isSelected: false, isEnabled: true))),
                        .moved(id: "r2"),
                    ])
            ])
    }

    @Test("Random changes, applied as a browser applies them, give the same rows")
    func random() {
        var generator = SystemRandomNumberGenerator()
        var page = Page()
        var shown: [Page.Row] = []
        _ = page.update(to: .list([]))
        for _ in 0..<2_000 {
            let rows = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                // Some names are another one with a number.
                let suffix = Bool.random(using: &generator) ? "" : " \(Int.random(in: 0...2, using: &generator))"
                return (
                    "\(Int.random(in: 0...9, using: &generator))\(suffix)",
                    "\(Int.random(in: 0...2, using: &generator))"
                )
            }
            for change in page.update(to: .list(rows)) { shown.apply(change) }
            #expect(shown == page.sections[0].rows)
            #expect(Set(shown.map(\.id)).count == shown.count)
        }
    }

    @Test("Other sections are shown whole, and another title is not forgotten")
    func sections() {
        var page = Page()
        _ = page.update(to: .list([("A", "")]))
        let screen = Screen<AnyAction>(title: "Other", sections: [.init("Title", rows: [.text("Text")])])
        #expect(page.update(to: screen) == [.title("Other"), .everything])
        #expect(page.html.string.contains("<h2 id=\"s1-title\" dir=\"auto\">Title</h2>"))
        // The actions are a part of the whole.
        let actions = Screen<String>(title: "Other", actions: [.init("Save", action: "save")]).live
        #expect(page.update(to: actions) == [.everything])
    }

    @Test(
        "Rows keep their ids when other sections come, go and have other titles, and when their own has another title")
    func otherSections() {
        var page = Page()
        func ids(_ titles: [String?], _ rows: [[String]]) -> [[String]] {
            let sections = zip(titles, rows).map { title, rows in
                Screen<String>.Section(title, rows: rows.map { .field($0, text: "", edit: { $0 }) })
            }
            _ = page.update(to: Screen<String>(title: "", sections: sections).live)
            return page.sections.map { ["s\($0.id)"] + $0.rows.map(\.id) }
        }
        let first = ids([nil, "A", "1 of them"], [["x"], ["y", "z"], ["u"]])
        #expect(first == [["s0", "r1"], ["s1", "r2", "r3"], ["s2", "r4"]])
        #expect(
            ids(["A", nil, "2 of them"], [["z", "y"], ["x"], ["u"]]) == [
                ["s1", "r3", "r2"], ["s0", "r1"], ["s2", "r4"],
            ])
        #expect(
            ids(["New", "A", "3 of them"], [["w"], ["y"], ["v", "u"]]) == [
                ["s3", "r5"], ["s1", "r2"], ["s2", "r6", "r4"],
            ])
        // It is unknown which of them is which.
        #expect(ids(["New", "New"], [["w"], ["w"]]) == [["s4", "r7"], ["s5", "r8"]])
        #expect(ids(["B", "C"], [["w"], ["w"]]) == [["s6", "r9"], ["s7", "r10"]])
        #expect(ids(["C", "D"], [["w"], ["w"]]) == [["s7", "r10"], ["s8", "r11"]])
    }

    @Test("A title, the actions and the text of a field change by themselves")
    func parts() {
        var page = Page()
        func screen(_ title: String, _ text: String, _ isEnabled: Bool) -> Screen<String> {
            Screen(
                title: title, sections: [.init(rows: [.field("Name", text: text, edit: { $0 })])],
                actions: [.init("Save", key: .control("s"), isEnabled: isEnabled, action: "save")])
        }
        _ = page.update(to: screen("One", "", true).live)
        #expect(page.update(to: screen("Two", "", true).live) == [.title("Two")])
        let field = FieldContent(
            label: "Name", text: "A", placeholder: "", problem: nil, isEnabled: true, isSecret: false)
        #expect(page.update(to: screen("Two", "A", true).live) == [.row(.init(id: "r1", content: .field(field)))])
        #expect(page.update(to: screen("Two", "A", false).live) == [.actions(page.actions)])
        #expect(page.controls["a0"]?.isEnabled == false)
    }

    @Test("A field takes no longer text than the server does")
    func longestText() {
        var page = Page()
        _ = page.update(
            to: Screen<String>(title: "", sections: [.init(rows: [.field("Name", text: "", edit: { $0 })])]).live)
        #expect(page.html.string.contains("maxlength=\"\(BrowserSession.maximumText)\""))
    }

    @Test("A button keeps its id while others come and go")
    func buttons() {
        var page = Page()
        func screen(_ titles: [String]) -> Screen<AnyAction> {
            Screen<String>(title: "List", sections: [], actions: titles.map { .init($0, action: $0) }).live
        }
        _ = page.update(to: screen(["Back"]))
        #expect(page.actions.map(\.id) == ["a0"])
        _ = page.update(to: screen(["Delete", "Back", "Delete"]))
        #expect(page.actions.map(\.id) == ["a1", "a0", "a2"])
        _ = page.update(to: screen(["Delete"]))
        #expect(page.actions.map(\.id) == ["a1"])
        // Those that have gone cannot be used.
        #expect(Array(page.controls.keys) == ["a1"])
    }
}

extension [Page.Row] {
    fileprivate mutating func apply(_ change: Page.Change) {
        switch change {
        case let .row(row):
            if let index = firstIndex(where: { $0.id == row.id }) { self[index] = row }
        case let .rows(_, from, removed, inserted):
            let old = Dictionary(uniqueKeysWithValues: self[from..<(from + removed)].map { ($0.id, $0) })
            let new = inserted.compactMap { insertion -> Page.Row? in
                switch insertion {
                case let .new(row): row
                case let .moved(id): old[id]
                }
            }
            replaceSubrange(from..<(from + removed), with: new)
        case .title, .actions, .everything: break
        }
    }
}

extension Screen where Action == AnyAction {
    fileprivate static func list(_ rows: [(String, String)]) -> Screen {
        Screen<Int>(
            title: "List", sections: [.init(rows: rows.map { .choice($0.0, detail: $0.1, action: 0) })]
        ).live
    }
}

extension Screen {
    var live: Screen<AnyAction> { map { AnyAction($0) {} } }
}
