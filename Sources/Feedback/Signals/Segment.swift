/// Makes the recipe at a boundary of a long chain of producers.
///
/// Ten thousand operators in a row would start, deliver and be released by ten thousand nested calls, and overflow the
/// stack. So each 32nd of them is a boundary. What a boundary has to call is done in a step of its own: the first
/// boundary that an event meets runs the steps of all others one after the other. The order of events is the same.
///
/// - Parameter recipe: Delivers only inside the events that it gets, as all of its segment.
@usableFromInline
func segmented<Value: Sendable, Error: Swift.Error>(
    _ recipe: @escaping SignalProducer<Value, Error>.Recipe, _ stage: Stage
) -> SignalProducer<Value, Error>.Recipe {
    let recipe = Link(recipe)
    return { observer, lifetime in
        let chain = ThreadState.current.takeChain() ?? Chain()
        let observer = Link(observer)
        // By the time of its step, an observer of an event before it may have disposed the whole.
        let part = Observer<Value, Error>(
            receive: { value in
                chain.deliver { if !lifetime.hasEnded { observer.content?.receive(value) } }
            },
            finish: { end in
                chain.deliver {
                    let isComplete = if case .completed = end { true } else { false }
                    observer.content?.finish(isComplete ? lifetime.completion() : end)
                }
            })
        chain.starts.perform {
            passing(chain, to: Stage(stage.origin, depth: stage.depth - 1)) { recipe.content?(part, lifetime) }
        }
    }
}

/// The steps that the boundaries of one start of a long chain share.
@usableFromInline
final class Chain: Sendable {
    /// The steps of starting.
    @usableFromInline let starts: StartSteps
    /// The steps of delivering an event. From outside of them, call `deliver(_:)`.
    let deliveries = SignalLane()
    /// The steps of starting that wait for the end of the deliveries under way.
    private let waiting = Locked(Queue<Step>())
    /// The steps of disposing the parts of parts. Not those of starting, which may take as long as a start handler.
    let disposals: SignalLane

    init() {
        starts = StartSteps()
        disposals = SignalLane()
    }

    /// A step. It is a struct because an array of functions would wrap each function.
    private struct Step: Sendable {
        let run: @Sendable () -> Void
    }

    /// Delivers an event, after those under way.
    func deliver(_ step: @escaping @Sendable () -> Void) {
        deliveries.perform(step)
        startWaiting()
    }

    /// Runs a step of starting when no delivery is under way: what a source delivers at once would wait for the end of that.
    func start(_ step: @escaping @Sendable () -> Void) {
        // Asked under the lock: either this finds the deliveries at an end, or the thread inside finds the step after them.
        let isFree = waiting.withLock { waiting in
            waiting.append(Step(run: step))
            return deliveries.lane.isFree
        }
        if isFree { startWaiting() }
    }

    private func startWaiting() {
        while deliveries.lane.isFree, let step = waiting.withLock({ $0.popFirst() }) { starts.perform(step.run) }
    }

    /// Makes a chain for a part of `whole`, which delivers in steps of its own.
    private init(partOf whole: Chain) {
        starts = whole.starts
        disposals = whole.disposals
    }

    /// A chain for a part of this one, which delivers in steps of its own.
    @usableFromInline var apart: Chain { Chain(partOf: self) }
}

/// Runs a step of starting, in the course of another one: now if there is no chain.
func perform(in chain: Chain?, _ step: @escaping @Sendable () -> Void) {
    if let chain { chain.starts.perform(step) } else { step() }
}

/// Runs a step of starting, in the course of an event: now if there is no chain.
func performAfterDeliveries(in chain: Chain?, _ step: @escaping @Sendable () -> Void) {
    if let chain { chain.start(step) } else { step() }
}

/// The scope of a part of a long chain, which is disposed without a deep recursion.
final class PartDisposal: Disposable {
    private let scope: CompositeDisposable
    private let steps: SignalLane

    init(of scope: CompositeDisposable, in steps: SignalLane) {
        self.scope = scope
        self.steps = steps
    }

    var isDisposed: Bool { scope.isDisposed }

    func dispose() {
        steps.perform { [scope] in scope.dispose() }
    }
}

/// Hands a chain to the boundary that a recipe at `stage` is about to meet, if there is one.
@usableFromInline
func passing(_ chain: Chain?, to stage: Stage, _ begin: () -> Void) {
    guard let chain, stage.depth >= Stage.segment else { return begin() }
    ThreadState.current.chain = chain
    begin()
    ThreadState.current.chain = nil
}

/// Holds a part of a long chain, and releases it without a deep recursion.
final class Link<Content: Sendable>: @unchecked Sendable {
    // Written by `deinit` alone.
    private(set) var content: Content?

    init(_ content: Content) {
        self.content = content
    }

    deinit {
        let thread = ThreadState.current
        // Nothing but the array holds it from here on.
        if let content = content.take() { thread.released.append(content) }
        thread.releaseAll()
    }
}
