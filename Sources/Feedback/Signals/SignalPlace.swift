/// The place of a signal in a long row of signals that are each joined with others, as by `merge(with:)`.
///
/// Joined signals have lanes of their own, so a lane cannot keep the stack from growing with the length of the row. Deep
/// in the row they share another lane, `steps`, in which each takes its events, after the step under way.
@usableFromInline
struct SignalPlace {
    /// The number of signals in a row before this one.
    @usableFromInline let depth: UInt16
    /// The lane in which the signal takes its events; `nil` unless it is deep in the row.
    @usableFromInline let steps: SignalLane?

    @inlinable
    init(depth: UInt16 = 0, steps: SignalLane? = nil) {
        self.depth = depth
        self.steps = steps
    }

    /// Makes the place of a signal that is made of those at `places`.
    @inlinable
    init(after places: [SignalPlace]) {
        let deepest = places.max { $0.depth < $1.depth } ?? SignalPlace()
        depth = deepest.depth &+ 1
        steps = depth < Stage.segment ? nil : deepest.steps ?? SignalLane()
    }
}

extension SignalCore {
    @inlinable var place: SignalPlace { SignalPlace(depth: depth, steps: lane.steps) }
}

extension Signal {
    /// The same as `unretainedProducer`, for a signal at `place` that joins this one with others.
    @inlinable
    func unretainedProducer(at place: SignalPlace) -> SignalProducer<Value, Error> {
        guard let steps = place.steps else { return unretainedProducer }
        let core = core
        return SignalProducer(begin: { observer, lifetime in
            let part = Observer(
                receive: { value in steps.perform { observer.receive(value) } },
                finish: { end in steps.perform { observer.finish(end) } })
            lifetime.scope.insert(core.observe(part))
        })
    }
}
