/// The work that a derived signal does for each value of its source, such as that of `map`.
///
/// A step is not copied, so that no value retains its functions, which would take as long as the rest of the work.
@usableFromInline
protocol SignalStep<Input, Output>: ~Copyable, Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable

    /// Delivers what it makes of `input` to `core`, at once.
    borrowing func take(_ input: Input, to core: SignalCore<Output, some Error>)
}

/// The core of a derived signal, in one object with its step.
@usableFromInline
final class SteppingCore<Step: SignalStep & ~Copyable, Error: Swift.Error>: SignalCore<Step.Output, Error>,
    @unchecked Sendable  // The lane guards `step`.
{
    /// `nil` after the end, as the handle of an observation may hold the core for longer.
    @exclusivity(unchecked) @usableFromInline var step: Step?

    @inlinable
    init(_ step: consuming Step, lane: SignalLane, depth: UInt16) {
        self.step = consume step
        super.init(lane: lane, depth: depth)
    }

    /// Takes the values of the source, inside the lane.
    @inlinable
    var stepInput: Observer<Step.Input, Error> {
        if isSpecialized(forLarge: (Step.Input, Step.Output).self) { return unspecializedStepInput }
        return output(receive: { self.step?.take($0, to: self) })
    }

    @usableFromInline
    override func end() {
        super.end()
        step = nil
    }
}
