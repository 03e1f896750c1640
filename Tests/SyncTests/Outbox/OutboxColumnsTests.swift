import Persistence
import Testing

@testable import Sync

/// The columns that stored writes name and set.
struct OutboxColumnsTests {
    @Test(
        "A column is found by its present name and its earlier ones, wherever it is looked for first",
        arguments: [
            ("id", 0), ("title", 1), ("body", 2), ("b", 1), ("a", 1), ("removed", nil), ("renamed and removed", nil),
        ] as [(String, Int?)])
    func positions(name: String, position: Int?) throws {
        let columns = OutboxColumns(
            Note.schema, version: 3,
            changes: [
                .renamed("a", to: "b"), .renamed("b", to: "title"), .removed("removed"),
                .renamed("renamed and removed", to: "removed"),
            ])
        for guess in 0...5 { #expect(try columns.position(of: name, near: guess) == position) }
        #expect(try columns.position(of: name) == position)
    }

    @Test("A name that no column has had is refused, also if changes of names lead in a circle")
    func unknown() {
        let columns = OutboxColumns(
            Note.schema, version: 3, changes: [.renamed("a", to: "b"), .renamed("b", to: "a"), .renamed("c", to: "d")])
        for name in ["a", "c", "nobody"] {
            for guess in 0...5 {
                #expect(throws: StoreError.unknownProperty(name, table: "notes")) {
                    try columns.position(of: name, near: guess)
                }
            }
        }
    }

    @Test("The columns that were set after a write are those of later writes")
    func setters() {
        var setters = ColumnSetters(columns: 3)
        #expect(setters.effect(after: 0) == .columns([]))
        setters.note(1, setting: [true, true, false], isDeletion: false)
        setters.note(2, setting: [false, true, false], isDeletion: false)
        #expect(setters.last == 2)
        #expect(setters.effect(after: 0) == .columns([0, 1]))
        #expect(setters.effect(after: 1) == .columns([1]))
        #expect(setters.effect(after: 2) == .columns([]))
    }

    @Test("After a deletion the object is another one, and after a write that cannot be read nothing is known of it")
    func replaced() {
        var setters = ColumnSetters(columns: 1)
        setters.note(1, setting: [true], isDeletion: true)
        setters.note(2, setting: nil, isDeletion: false)
        setters.note(3, setting: [true], isDeletion: false)
        #expect(setters.last == 3)
        #expect(setters.effect(after: 0) == .unknown && setters.effect(after: 1) == .unknown)
        #expect(setters.effect(after: 2) == .columns([0]))
        var others = ColumnSetters(columns: 1)
        others.note(1, setting: [true], isDeletion: true)
        #expect(others.effect(after: 0) == .replaced)
        #expect(others.effect(after: 1) == .columns([]))
    }

    @Test("The setters of an entity are known until they are forgotten")
    func known() {
        let (known, setters) = (KnownSetters(), ColumnSetters(columns: 2))
        known.note(nil, of: "a")
        #expect(known["a"] == nil)
        known.note(setters, of: "a")
        #expect(known["a"] == setters && known["b"] == nil)
        known.note(nil, of: "a")
        #expect(known["a"] == nil)
    }
}
