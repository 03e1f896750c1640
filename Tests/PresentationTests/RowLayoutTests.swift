import Presentation
import Testing

/// How single rows are laid out, in little and in much room.
struct RowLayoutTests {
    @Test("A value without a label stands at the left, beside rows of other kinds")
    func noLabel() {
        let screen = Screen<String>(title: "", sections: [.init(rows: [.text("Motto"), .value("", "Onward")])])
        #expect(ScreenLayout(width: 40).parts(of: screen).body.map(\.text) == ["Motto", "    Onward"])
    }

    @Test("A field has room for a few characters beside a long label, and for four of the label in a narrow terminal")
    func longLabel() {
        let rows = { (width: Int) in
            let field = Screen<String>.Row.field("Name of the person", text: "Ada", edit: { $0 })
            return ScreenLayout(width: width).parts(of: Screen(title: "", sections: [.init(rows: [field])])).body
                .map(\.text)
        }
        #expect(rows(40) == ["  Name of the person  [Ada             ]"])
        #expect(rows(30) == ["  Name of t…  [Ada           ]"])
        #expect(rows(20) == ["  Nam…  [Ada       ]"])
    }

    @Test("A secret is a dot for each character, also for a scripted person")
    func secret() {
        let field = Screen<String>.Row.field("PIN", text: "e\u{301}東\t", isSecret: true, edit: { $0 })
        let screen = Screen(title: "", sections: [.init(rows: [field])])
        let parts = ScreenLayout(width: 20, focus: 0, caret: 2).parts(of: screen)
        #expect(parts.body.map(\.text) == ["▸ PIN  [•••        ]"])
        #expect(parts.body.map(\.caret) == [10])
    }

    @Test("A problem is indented as its field is, unless that is more than half of the width")
    func problem() {
        let rows = { (width: Int) in
            let field = Screen<String>.Row.field("Name", text: "", problem: "Whose is it?", edit: { $0 })
            return ScreenLayout(width: width).parts(of: Screen(title: "", sections: [.init(rows: [field])])).body
                .dropFirst().map(\.text)
        }
        #expect(rows(24) == ["        ! Whose is it?"])
        #expect(rows(16) == ["        ! Whose…"])
        #expect(rows(15) == ["  ! Whose is", "    it?"])
    }

    @Test("Progress has a bar of a third of the width, of at most 20 columns")
    func bar() {
        let line = { (fraction: Double, width: Int) in
            let screen = Screen<String>(title: "", sections: [.init(rows: [.progress("Load", fraction: fraction)])])
            return ScreenLayout(width: width).parts(of: screen).body.map(\.text)
        }
        #expect(line(0.5, 30) == ["█████░░░░░ 50 % Load"])
        #expect(line(0, 30) == ["░░░░░░░░░░ 0 % Load"])
        #expect(line(2, 30) == ["██████████ 100 % Load"])
        #expect(line(-1, 30) == line(0, 30) && line(.nan, 30) == line(0, 30))
        #expect(line(0.999, 300) == ["███████████████████░ 99 % Load"])
    }

    @Test("The spinner has ten pictures, and stands still without a tick")
    func spinner() {
        let line = { (tick: Int?) in
            let screen = Screen<String>(title: "", sections: [.init(rows: [.progress("Load")])])
            return ScreenLayout(width: 30, tick: tick).parts(of: screen).body.map(\.text)
        }
        #expect(line(nil) == ["… Load"] && line(0) == ["⠋ Load"] && line(9) == ["⠏ Load"] && line(10) == line(0))
        #expect(Set((0..<10).map { line($0) }).count == 10)
    }
}
