import Foundation
import Presentation
import Testing

@Suite("A value taken apart")
struct ValueTreeTests {
    @Test("An optional value reads as the value that it holds")
    func optionals() {
        let values: [Any] = [
            Double?.some(5.7) as Any, Int?.some(3) as Any, Bool?.some(true) as Any, String?.some("a") as Any,
            URL(string: "http://x") as Any, Decimal(string: "1.5") as Any, Int?.none as Any,
        ]
        #expect(ValueTree(values).children.map(\.text) == ["5.7", "3", "true", "\"a\"", "http://x", "1.5", "nil"])
    }

    @Test("The line of a value has the brackets and the labels of its kind")
    func line() {
        struct City { var name: String, rivers: [String] }
        enum Event { case cancel, didLoad([City]), move(x: Int, y: Int) }
        let city = City(name: "London", rivers: ["Thames"])
        #expect(ValueTree(city).line == #"City(name: "London", rivers: ["Thames"])"#)
        #expect(ValueTree(Event.didLoad([city])).line == #".didLoad([City(name: "London", rivers: ["Thames"])])"#)
        #expect(ValueTree(Event.cancel).line == ".cancel")
        #expect(ValueTree(Event.move(x: 1, y: 2)).line == ".move(x: 1, y: 2)")
        #expect(ValueTree((1, (true, "a"))).line == #"(1, (true, "a"))"#)
        #expect(ValueTree(Set([1])).line == "[1]")
        #expect(ValueTree(["a": [1, 2]]).line == #"["a": [1, 2]]"#)
    }

    @Test("The text of a part is one line, whatever its description")
    func lines() {
        struct Stanza: CustomStringConvertible { var description: String { "one\ntwo\r\nthree" } }
        enum Mood: CustomStringConvertible {
            case calm
            var description: String { "calm\nand quiet" }
        }
        #expect(ValueTree(Stanza()).text == "one\\ntwo\\nthree")
        #expect(ValueTree(Mood.calm).text == ".calm\\nand quiet")
        for value in [Stanza(), Mood.calm] as [Any] { #expect(!ValueSummary.line(of: value).contains { $0.isNewline }) }
        #expect(ValueTree(Character("\n")).text == "\"\\n\"")
        #expect(ValueTree("one\ntwo").text == "\"one\\ntwo\"")
    }

    @Test("Of more elements than are asked for, the first ones and the number of the others are shown")
    func elements() {
        for value in [[1, 2, 3], Set([1, 2, 3])] as [Any] {
            #expect(ValueTree(value, elements: 1).children.map(\.line) == ["1", "and 2 more"])
            #expect(ValueTree(value, elements: 3).children.map(\.line) == ["1", "2", "3"])
        }
        let tree = ValueTree(["a": [1, 2], "b": []] as [String: [Int]], elements: 1)
        #expect(tree.children.map(\.label) == ["\"a\"", "…"])
        #expect(tree.children.map(\.line) == ["[1, and 1 more]", "and 1 more"])
        #expect(tree.text == "[2:]" && ValueTree(["a"]).text == "[1]" && ValueTree(Set(["a"])).text == "{1}")
    }

    @Test("Of no element or fewer, only the number is shown", arguments: [0, -1, .min])
    func noElements(limit: Int) {
        for value in [[1, 2], Set([1, 2]), ["a": 1, "b": 2]] as [Any] {
            #expect(ValueTree(value, elements: limit).children.map(\.text) == ["and 2 more"])
        }
    }

    /// Values in one another.
    private indirect enum Nested: Hashable {
        struct Box: Hashable { var content: Nested }

        case end, one(Nested), tuple(Nested, Int), structure(Box)
        case list([Nested]), set(Set<Nested>), dictionary([String: Nested])
    }

    @Test(
        "Of values in one another, whatever holds them, 64 are taken apart, and the next one is described by its type",
        arguments: [
            Nested.one, { .tuple($0, 0) }, { .structure(.init(content: $0)) }, { .list([$0]) }, { .set([$0]) },
            { .dictionary(["": $0]) },
        ] as [@Sendable (Nested) -> Nested])
    private func depth(holding: @Sendable (Nested) -> Nested) {
        let value = (0..<70).reduce(Nested.end) { value, _ in holding(value) }
        var (tree, levels) = (ValueTree(value), 0)
        while let child = tree.children.first { (tree, levels) = (child, levels + 1) }
        #expect(levels == 64)
        #expect(["Nested", "Box", "Array<Nested>", "Set<Nested>", "Dictionary<String, Nested>"].contains(tree.text))
        // A key is as deep as the value beside it.
        #expect(ValueTree([value: 1]).children.map(\.label) == ValueTree([value]).children.map(\.line))
    }
}
