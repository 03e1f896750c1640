import Foundation
import Testing

@testable import demo

struct StateDifferenceTests {
    private struct State {
        enum Phase { case idle, failed(String, attempt: Int) }

        struct Form { var street = "", number = 1 }

        var phase = Phase.idle
        var form = Form()
        var items: [Int] = []
        var choice: String?
    }

    @Test("Only changes are listed, by their paths")
    func changes() {
        var after = State()
        after.phase = .failed("No.", attempt: 2)
        after.form.street = "Baker Street"
        after.items = [1, 2, 3, 4]
        after.choice = "x"
        #expect(
            StateDifference.lines(from: State(), to: after) == [
                "phase: .idle → .failed(\"No.\", attempt: 2)", "form.street: \"\" → \"Baker Street\"",
                "items: [] → 4 elements", "choice: nil → \"x\"",
            ])
    }

    @Test("Dates differ by fractions of a second, and values of one description by their parts")
    func hiddenByDescriptions() {
        struct City: CustomStringConvertible {
            var population = 9
            var description: String { "London" }
        }
        let date = Date(timeIntervalSinceReferenceDate: 0)
        let lines = StateDifference.lines(from: ["at": date], to: ["at": date.addingTimeInterval(0.25)])
        #expect(lines.joined().contains("00:00:00.000") && lines.joined().contains("00:00:00.250"), "\(lines)")
        #expect(
            StateDifference.lines(from: [City(), City()], to: [City(), City(population: 10)]) == [
                "[1]: City(population: 9) → City(population: 10)"
            ])
    }

    @Test("Equal states have no differences")
    func same() {
        #expect(StateDifference.lines(from: State(), to: State()).isEmpty)
    }

    @Test("A list of the same length is compared element by element")
    func elements() {
        var (before, after) = (State(), State())
        before.items = [1, 2, 3]
        after.items = [1, 5, 3]
        #expect(StateDifference.lines(from: before, to: after) == ["items[1]: 2 → 5"])
    }

    @Test("The elements that were added and removed are listed, of long lists only some")
    func additions() {
        var (before, after) = (State(), State())
        before.items = [1, 2, 3]
        after.items = [3, 4]
        #expect(
            Set(StateDifference.lines(from: before, to: after)) == ["items: - 1", "items: - 2", "items: + 4"])
        after.items = Array(100..<200)
        let lines = StateDifference.lines(from: before, to: after)
        #expect(lines.count == 6 && lines.last == "items: … and 98 more changes")
    }

    @Test("Elements that have moved do not count as changed, and each change is found however large its element")
    func moving() {
        var (before, after) = (State(), State())
        before.items = Array(0..<20)
        after.items = Array(1..<20) + [0]
        #expect(StateDifference.lines(from: before, to: after) == ["items: another order"])
        after.items = Array(1...20)
        #expect(StateDifference.lines(from: before, to: after) == ["items: - 0", "items: + 20"])
        #expect(StateDifference.lines(from: [[1, 2, 3, 4, 5]], to: [[1, 2, 9, 4, 5]]) == ["[0][2]: 3 → 9"])
    }

    @Test("Inside of an enum's payload and an optional value the change is found")
    func payloads() {
        enum Loading { case loaded([Int]) }
        #expect(
            StateDifference.lines(from: Loading.loaded([1, 2, 3, 4, 5, 6]), to: Loading.loaded([1, 2, 3, 4, 5, 7]))
                == ["loaded[5]: 6 → 7"])
        let (old, new): ([Int]?, [Int]?) = ([1, 2, 3, 4], [1, 2, 3, 5])
        #expect(StateDifference.lines(from: old as Any, to: new as Any) == ["[3]: 4 → 5"])
    }

    @Test("The entries of a dictionary are compared by their keys")
    func dictionaries() {
        let before = ["a": [1], "b": [2], "c": [3]]
        let after = ["a": [1], "b": [5], "d": [4]]
        #expect(
            StateDifference.lines(from: before, to: after) == [
                "[\"b\"][0]: 2 → 5", "[\"c\"]: removed", "[\"d\"]: + [4]",
            ])
        // Of long keys, the short description gives only the number of their elements.
        let longKeys = [[1, 2, 3, 4]: 1, [1, 2, 3, 5]: 2]
        #expect(
            StateDifference.lines(from: longKeys, to: [[1, 2, 3, 4]: 1, [1, 2, 3, 5]: 3]) == [
                "[[1, 2, 3, 5]]: 2 → 3"
            ])
    }
}
