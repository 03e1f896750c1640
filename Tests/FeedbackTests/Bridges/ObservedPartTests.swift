import Feedback
import Observation
import Testing

/// The parts of a property's value, as something that Observation tracks.
@Suite("Parts of Observed")
struct ObservedPartTests {
    private struct Form: Sendable {
        var name = "Ada"
        var age = 36

        var length: Int { name.count }
    }

    private let form = MutableProperty(Form())

    /// Counts the changes that a reader is told of: the first one, or none.
    private func changes(of read: () -> Void) -> Shared<Int> {
        let changes = Shared(0)
        withObservationTracking(read, onChange: { changes.modify { $0 += 1 } })
        return changes
    }

    @Test("Who reads a stored part is told when it has changed, and of no other change")
    func stored() {
        let observed = Observed(form, on: ImmediateScheduler())
        let (names, ages) = (changes { _ = observed.name }, changes { _ = observed.age })
        form.modify { $0.age = 37 }
        #expect(names.value == 0 && ages.value == 1 && observed.age == 37)
        form.modify { $0.name = "Grace" }
        #expect(names.value == 1 && ages.value == 1 && observed.name == "Grace")
    }

    @Test("Who reads a computed part, or the whole, is told of each change")
    func computed() {
        let observed = Observed(form, on: ImmediateScheduler())
        let (lengths, wholes) = (changes { _ = observed.length }, changes { _ = observed.value })
        form.modify { $0.age = 37 }
        #expect(lengths.value == 1 && wholes.value == 1 && observed.length == 3)
    }

    @Test("A part that is read again after a change is tracked again, beside other readers of it")
    func again() {
        let observed = Observed(form, on: ImmediateScheduler())
        for name in ["Grace", "Edsger", "Barbara"] {
            let readers = (0..<3).map { _ in changes { _ = observed.name } }
            form.modify { $0.age += 1 }
            #expect(readers.allSatisfy { $0.value == 0 })
            form.modify { $0.name = name }
            #expect(readers.allSatisfy { $0.value == 1 })
        }
    }
}
