import Feedback
import Foundation
import Testing

@testable import FeedbackTesting

@Suite("Differences that descriptions do not show")
struct DifferenceTests {
    /// A value whose description leaves out a part.
    private struct City: Equatable, Sendable, CustomStringConvertible {
        var name = "London"
        var population = 9
        var description: String { name }
    }

    /// A value whose description and parts say nothing.
    private struct Opaque: Equatable, Sendable, CustomReflectable {
        var secret = 0
        var customMirror: Mirror { Mirror(self, children: []) }
    }

    private final class Node: Equatable, Sendable {
        // Written only by the initializer.
        nonisolated(unsafe) private var next: Node?
        init() { next = self }
        static func == (one: Node, other: Node) -> Bool { one === other }
    }

    private enum Event: Equatable, Sendable {
        case didLoad([String])
        case move(Int, y: Int)
    }

    @Test("Dates differ by fractions of a second")
    func dates() {
        let date = Date(timeIntervalSinceReferenceDate: 0)
        let message = message(from: date, to: date.addingTimeInterval(0.25))
        #expect(message.contains("00:00:00.000") && message.contains("00:00:00.250"), "\(message)")
    }

    @Test("The values of a case have the labels that they have in the source")
    func cases() {
        let load = message(from: Event.didLoad(["London"]), to: .didLoad(["Paris"]))
        #expect(
            load.hasSuffix("  .didLoad(\n    [\n-     \"London\"\n+     \"Paris\"\n    ]\n  )"), "\(load)")
        let move = message(from: Event.move(1, y: 2), to: .move(1, y: 3))
        #expect(move.hasSuffix("  .move(\n    (\n      1\n-     y: 2\n+     y: 3\n    )\n  )"), "\(move)")
    }

    @Test("Empty lists are written as literals")
    func emptyLists() {
        let dictionary = message(from: [String: Int](), to: ["London": 1])
        #expect(dictionary.contains("- [:]\n+ [\n+   \"London\": 1\n+ ]"), "\(dictionary)")
        let list = message(from: [Int](), to: [1])
        #expect(list.contains("- []\n+ [\n+   1\n+ ]"), "\(list)")
    }

    @Test("The elements of a set and the entries of a dictionary are compared in one order")
    func unordered() {
        let numbers = Set(0..<20)
        let set = message(from: numbers, to: numbers.union([55]))
        #expect(set.contains("\n+   55") && set.ranges(of: "\n+ ").count == 1 && !set.contains("\n- "), "\(set)")
        let names = Dictionary(uniqueKeysWithValues: numbers.map { ($0, "\($0)") })
        let dictionary = message(from: names, to: names.merging([55: "new"]) { $1 })
        #expect(dictionary.contains("\n+   55: \"new\"") && !dictionary.contains("\n- "), "\(dictionary)")
    }

    @Test("An optional part is shown as the value that it holds")
    func optionals() {
        struct Person: Equatable, Sendable {
            var home: City?
            var ages: [Int?] = [1, nil]
        }
        let message = message(from: Person(), to: Person(home: City(), ages: [nil, 2]))
        #expect(message.contains("-   home: nil\n+   home: London\n"), "\(message)")
        #expect(message.contains("    nil\n") && message.contains("\n+     2\n") && message.contains("\n-     1\n"))
    }

    @Test("A value with a description of its own is shown in its own words")
    func descriptions() {
        let message = message(from: City(), to: City(name: "Paris"))
        #expect(message.hasSuffix("\n- London\n+ Paris"), "\(message)")
    }

    @Test("Values of one description are shown by their parts")
    func parts() {
        let message = message(from: [City()], to: [City(population: 10)])
        #expect(message.contains("-     population: 9\n+     population: 10"), "\(message)")
    }

    @Test("Values in one another are taken apart 65 levels deep, and described by their types below")
    func depth() {
        struct Level { var inner: [Level] }
        let value = (0..<50).reduce(Level(inner: [])) { value, _ in Level(inner: [value]) }
        let lines = Difference.lines(of: value)
        // Each level has a line that opens it, and one that closes it.
        #expect(lines.count == 65 + 1 + 65)
        #expect(lines[65] == String(repeating: "  ", count: 65) + "inner: Array<Level>")
    }

    @Test("If nothing shows the difference, the message says so")
    func nothing() {
        let message = message(from: Opaque(), to: Opaque(secret: 1))
        #expect(message.contains("They differ, but their descriptions are equal"), "\(message)")
    }

    @Test("If a NaN is the difference, the message says so, and where it is")
    func nan() {
        struct Place: Equatable, Sendable {
            var name = "London"
            var latitude = Double.nan
        }
        let message = message(from: [Place()], to: [Place()])
        #expect(message.hasSuffix("They differ, as a NaN does not equal itself:\n\n    latitude: nan"), "\(message)")
    }

    @Test("Of very large values the first differences are shown, from one list to a longer or a shorter one")
    func large() {
        struct Row: Equatable, Sendable {
            var id: Int
            var isRead = false
        }
        let rows = (0..<2_000).map { Row(id: $0) }
        let inserted = message(from: [Row](), to: rows)
        #expect(inserted.contains("+     id: 0\n") && inserted.contains("+     id: 200\n"), "\(inserted)")
        #expect(!inserted.contains("id: 1900") && inserted.hasSuffix("  … There are further differences."))

        var changed = rows
        changed[10].isRead = true
        changed.remove(at: 1_500)
        let both = message(from: rows, to: changed)
        #expect(
            both.hasSuffix(
                """
                    Row(
                      id: 10
                -     isRead: false
                +     isRead: true
                    )
                    Row(
                      id: 11
                  …
                  … There are further differences.
                """), "\(both)")
    }

    @Test("Objects are described by their types, also those that refer to themselves")
    func objects() {
        let message = message(from: [Node()], to: [Node(), Node()])
        #expect(message.contains("+   Node"), "\(message)")
    }

    /// Returns the message of a tester whose loop goes from one state to another.
    private func message<State: Equatable & Sendable>(from old: State, to new: State) -> String {
        let messages = Locked<[String]>([])
        withKnownIssue {
            let tester = LoopTester<State, Bool>(initial: old, reduce: { state, _ in state = new })
            tester.send(true)
            tester.finish()
        } matching: { issue in
            messages.withLock { $0 += issue.comments.map(\.rawValue) }
            return true
        }
        return messages.withLock { $0.joined(separator: "\n") }
    }
}
