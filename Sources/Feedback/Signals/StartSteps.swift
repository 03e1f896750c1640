import Synchronization

/// Runs the steps of starting a long chain, in the order of the nested calls that they stand for.
///
/// A step that calls `perform` goes on at once. What it has left that way runs after it, and before what was left
/// earlier: the parts of a stream start one after the other, each with all of its own parts. Steps that another thread
/// leaves run after those.
@usableFromInline
final class StartSteps: @unchecked Sendable {  // Sendable: the lane guards `left`.
    /// A step. It is a struct because an array of functions would wrap each function.
    private struct Step {
        let run: @Sendable () -> Void
    }

    private let lane = SignalLane()
    /// The thread inside, while it runs steps.
    private let owner = Atomic<UInt>(0)
    /// The steps that the one under way has left.
    private var left: [Step] = []

    init() {}

    @usableFromInline
    func perform(_ run: @escaping @Sendable () -> Void) {
        let step = Step(run: run)
        // No other thread writes this thread's number there.
        if owner.load(ordering: .relaxed) == Self.thread { return left.append(step) }
        lane.perform { [self] in runAll(from: step) }
    }

    private func runAll(from first: Step) {
        owner.store(Self.thread, ordering: .relaxed)
        var waiting = [first]
        while let step = waiting.popLast() {
            step.run()
            while let last = left.popLast() { waiting.append(last) }
        }
        owner.store(0, ordering: .relaxed)
    }

    private static var thread: UInt {
        UInt(bitPattern: Unmanaged.passUnretained(ThreadState.current).toOpaque())
    }
}
