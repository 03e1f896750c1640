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
        #expect(ValueTree(Stanza()).text == "one\\ntwo\\nthree")
        #expect(ValueTree(Character("\n")).text == "\"\\n\"")
        #expect(ValueTree("one\ntwo").text == "\"one\\ntwo\"")
    }
}
