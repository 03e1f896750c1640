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
        let part = Observer<Value, Error>(
            receive: { value in chain.deliveries.perform { observer.content?.receive(value) } },
            finish: { end in chain.deliveries.perform { observer.content?.finish(end) } })
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
    /// The steps of delivering an event.
    let deliveries = SignalLane()
    /// The steps of disposing the parts of parts. Not those of starting, which may take as long as a start handler.
    let disposals: SignalLane

    init() {
        starts = StartSteps()
        disposals = SignalLane()
    }

    /// Makes a chain for a part of `whole`, which delivers in steps of its own.
    init(partOf whole: Chain) {
        starts = whole.starts
        disposals = whole.disposals
    }
}

/// Runs a step of starting: now if there is no chain.
func perform(in chain: Chain?, _ step: @escaping @Sendable () -> Void) {
    if let chain { chain.starts.perform(step) } else { step() }
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
