import Presentation
import Testing

@Suite("The summary of a value")
struct ValueSummaryTests {
    @propertyWrapper
    private struct Noted<Value> {
        var wrappedValue: Value
        var notes: [String] = []
    }

    private struct Reply {
        @Noted var names = ["London"]
        var page: Int? = 2
    }

    private final class Cache {}

    private enum Event {
        case cancel, didLoad(Reply), move(x: Int, y: Int)
    }

    @Test("Its length and the time that it takes do not depend on the value's size")
    func long() {
        struct Event { let list: [Int], text: String }
        let event = Event(list: Array(0..<100_000), text: String(repeating: "x", count: 100_000))
        let line = ValueSummary.line(of: event, limit: 120)
        #expect(line.hasPrefix("Event(list: 100,000 elements, text: \"xxx") && line.count == 121 && line.hasSuffix("…"))
    }

    @Test("A text is cut off only if it is longer than the limit")
    func limit() {
        #expect(ValueSummary.line(of: "abc", limit: 5) == "\"abc\"")
        #expect(ValueSummary.line(of: "abc", limit: 4) == "\"abc…")
    }

    @Test(
        "Of lists that are nested deeper than four levels, in lists or in tuples, only the number of elements is given")
    func depth() {
        #expect(ValueSummary.line(of: [[[[1]]]]) == "[[[[1]]]]")
        #expect(ValueSummary.line(of: [[[[[1]]]]]) == "[[[[1 element]]]]")
        #expect(ValueSummary.line(of: (1, (2, c: (3, [4])))) == "(1, (2, c: (3, [4])))")
        #expect(ValueSummary.line(of: (1, (2, (3, (4, [5]))))) == "(1, (2, (3, (4, 1 element))))")
    }

    @Test("It has the cases, labels and values, the type of an object, and a property wrapper's value for the wrapper")
    func parts() {
        #expect(ValueSummary.line(of: Event.cancel) == ".cancel")
        #expect(ValueSummary.line(of: [Cache()]) == "[Cache]")
        #expect(ValueSummary.line(of: Event.move(x: 1, y: -2)) == ".move(x: 1, y: -2)")
        #expect(ValueSummary.line(of: Event.didLoad(Reply())) == ".didLoad(Reply(names: [\"London\"], page: 2))")
        #expect(ValueSummary.line(of: [1, 2, 3]) == "[1, 2, 3]")
        #expect(
            ValueSummary.line(of: [1, 2, 3, 4]) == "4 elements" && ValueSummary.line(of: Int?.none as Any) == "nil")
    }
}
