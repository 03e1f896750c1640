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

    @Test("Only what has changed is told, by its path")
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

    @Test("Nothing is told of nothing")
    func same() {
        #expect(StateDifference.lines(from: State(), to: State()).isEmpty)
    }

    @Test("A list of the same length is told element by element")
    func elements() {
        var (before, after) = (State(), State())
        before.items = [1, 2, 3]
        after.items = [1, 5, 3]
        #expect(StateDifference.lines(from: before, to: after) == ["items[1]: 2 → 5"])
    }
}
