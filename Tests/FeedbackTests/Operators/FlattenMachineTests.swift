import Testing

@testable import Feedback

@Suite("The decisions of flatten")
struct FlattenMachineTests {
    @Test("After the end no inner stream starts or waits, and nothing completes")
    func end() {
        var machine = FlattenMachine<Int, CompositeDisposable>(.concurrent(limit: 1))
        _ = machine.arrive(1, in: CompositeDisposable())
        _ = machine.arrive(2, in: CompositeDisposable())
        let running = machine.dispose().running
        #expect(running.count == 1)
        let start = machine.arrive(3, in: CompositeDisposable())
        #expect(start == nil)
        #expect(machine.waiting.isEmpty)
        let isComplete = machine.finishOuter()
        #expect(isComplete == false)
    }
}
