/// The properties of a producer's recipe that are known before it is carried out.
@usableFromInline
struct Stage: Sendable {
    /// The way in which a recipe delivers, and behaves when it is disposed.
    @usableFromInline
    enum Origin: Sendable {
        /// The recipe may be anywhere in its work, even in a function of the user, when it is disposed.
        case work
        /// The recipe delivers everything before it returns, so it cannot be disposed meanwhile.
        case immediate
        /// The recipe delivers the interruption at once, unless it is delivering another event.
        case guarded
        /// The recipe delivers everything on a scheduler, even the interruption.
        case scheduled
    }

    @usableFromInline let origin: Origin
    /// The number of recipes in a row that deliver only inside the events that they get.
    @usableFromInline let depth: UInt16

    @inlinable
    init(_ origin: Origin, depth: UInt16 = 0) {
        self.origin = origin
        self.depth = depth
    }

    /// The stage of a recipe that delivers only inside the events that it gets from this one.
    @inlinable
    var next: Stage {
        Stage(origin == .guarded ? .work : origin, depth: depth &+ 1)
    }

    /// The number of operators in a row after which the stack is no longer used for the next one.
    ///
    /// Each of them delivers by a nested call, so a row of any length would overflow the stack. Three kinds of rows count
    /// their operators for that, each from its source on, and do something else at this number:
    ///
    /// - ``Stage``: operators of one producer, such as `map`. Each 32nd delivers in a step of its own, see
    ///   ``segmented(_:_:)``.
    /// - ``SignalPlace``: hot signals that are each joined with others. From the 32nd on they share a lane.
    /// - ``PropertyPlace``: properties that are derived from each other. One by one, each 32nd delivers in a step of its
    ///   own; if they are joined with others, they share a lane from the 32nd on.
    ///
    /// The nested calls of 32 operators fit into the stack of any thread, and a step for each 32nd costs little.
    @inlinable
    static var segment: UInt16 { 32 }

    /// True if a segment of the chain ends here; see ``segmented(_:_:)``.
    @inlinable
    var isBoundary: Bool { depth != 0 && depth % Stage.segment == 0 }
}

extension Stage.Origin {
    /// An observer that is told of the interruption at once when `scope` is disposed, and nothing after it.
    @inlinable
    func guarding<Value, Error>(
        _ observer: Observer<Value, Error>, during scope: CompositeDisposable
    ) -> Observer<Value, Error> {
        if isSpecialized(forLarge: Value.self) { return unspecializedGuarding(observer, during: scope) }
        switch self {
        case .immediate, .guarded:
            return observer
        case .scheduled:
            return observer.until(scope)
        case .work:
            let gate = Gate(observer)
            scope.insert(gate)
            return Observer(receive: { gate.receive($0) }, finish: { gate.finish($0) })
        }
    }
}

extension Observer {
    /// An observer that gets no value once `scope` is disposed.
    @usableFromInline
    func until(_ scope: CompositeDisposable) -> Observer {
        let receive = receive
        return contramap { if !scope.hasBeenDisposed { receive($0) } }
    }
}
