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

    /// The number of stages from one boundary to the next.
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
