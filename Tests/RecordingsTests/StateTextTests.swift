import Networking
import Presentation
import Testing

@testable import Recordings

@Suite("The text of states and events")
struct StateTextTests {
    private func state(_ lines: [(String, String)]) -> ValueLines {
        ValueLines(lines.map { .init(path: $0.0, text: $0.1) })
    }

    @Test("A new model is told with its whole state, and another one with the changes, in the order of the paths")
    func changes() {
        let old = state([("", "State"), ("list[10]", "a"), ("list[2]", "b"), ("id", "UUID 7")])
        let new = state([("", "State"), ("list[2]", "c"), ("list[10]", "d"), ("name", "e")])
        #expect(
            StateText.lines(of: "Names", from: nil, to: old) == [
                "Names begins", "  id: UUID", "  list[2]: b", "  list[10]: a",
            ])
        #expect(
            StateText.lines(of: "Names", from: old, to: new) == [
                "Names", "  id: removed", "  list[2]: c", "  list[10]: d", "  name: e",
            ])
        #expect(
            StateText.lines(of: "Names", from: new, to: state([("", "State"), ("list[2]", "c"), ("name", "e")]))
                == ["Names", "  list[10]: removed"])
        #expect(StateText.lines(of: "Names", from: old, to: old).isEmpty)
        #expect(StateText.lines(of: "Empty", from: nil, to: state([])) == ["Empty begins"])
    }

    @Test("Of more than twelve lines, the rest is told by its number and a fingerprint")
    func long() {
        func lines(_ texts: [Int]) -> [String] {
            StateText.lines(of: "Names", from: nil, to: state(texts.map { ("list[\($0)]", "\($0)") }))
        }
        #expect(lines(Array(0..<12)).count == 13)
        let long = lines(Array(0..<20))
        #expect(long.count == 14 && long[12] == "  list[11]: 11" && long[13].hasPrefix("  and 8 more: "))
        #expect(lines(Array(0..<20).reversed()) == long)
        #expect(lines(Array(0..<19) + [30])[13] != long[13])
    }

    @Test("A text has the parts of its models, in their order")
    func parts() {
        let parts = StateText.parts(of: "Names begins\n  a: 1\n  b: 2\nNames 2\n  a: removed")
        #expect(parts.map(\.name) == ["Names", StateText.name("Names", number: 2)])
        #expect(parts.map(\.lines) == [["Names begins", "  a: 1", "  b: 2"], ["Names 2", "  a: removed"]])
        #expect(StateText.name("Names", number: 1) == "Names")
        #expect(StateText.parts(of: "Names\n\nTowns").map(\.name) == ["Names", "", "Towns"])
        #expect(StateText.parts(of: "  a: 1").map(\.lines) == [["  a: 1"]])
    }

    @Test("An event is told on one line, with the names of its parts, and a long one with its beginning")
    func events() {
        enum Event: Sendable { case cancel, didLoad([Int], page: Int), password(String) }
        var describer = ValueDescriber(Redaction())
        #expect(describer.line(of: Event.cancel) == ".cancel")
        #expect(describer.line(of: Event.didLoad([7, 8], page: 2)) == ".didLoad [2] 7 8 page: 2")
        #expect(describer.line(of: Event.password("hunter2")) == ".password <redacted>")
        // The case, the list, its elements and the page.
        #expect(describer.line(of: Event.didLoad(Array(0..<21), page: 2)).hasSuffix(" 20 page: 2"))
        #expect(describer.line(of: Event.didLoad(Array(0..<22), page: 2)) == ".didLoad [22] 0 …")
    }
}
