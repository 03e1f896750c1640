// Values for the user interface, which belongs to the main actor. A closure that is passed to the other functions may run on
// any thread, so the compiler lets it use nothing of the main actor, whichever scheduler is named before.

extension SignalProducer where Error == NoError {
    /// Starts the producer, and passes each value to `take` on the main actor.
    ///
    /// ```swift
    /// names.startOnMain { [weak view] in view?.title.text = $0 }
    /// ```
    ///
    /// A value that arrives on the main thread is passed on at once, and any other one when the main thread gets to it, in the
    /// order of their arrival. Nothing is passed on after the disposable was disposed on the main thread.
    @discardableResult
    public func startOnMain(_ take: @escaping @MainActor (Value) -> Void) -> any Disposable {
        observe(on: UIScheduler()).startWithValues(assumingMain(take))
    }
}

extension Signal where Error == NoError {
    /// Passes each value to `take` on the main actor; see ``SignalProducer/startOnMain(_:)``.
    @discardableResult
    public func observeOnMain(_ take: @escaping @MainActor (Value) -> Void) -> (any Disposable)? {
        observe(on: UIScheduler()).observeValues(assumingMain(take))
    }
}

extension BindingTarget {
    /// Makes a target that passes each value to `action` on the main actor, until `lifetime` ends.
    ///
    /// ```swift
    /// let title = BindingTarget<String>.onMain(lifetime) { [weak view] in view?.title.text = $0 }
    /// title <~ names
    /// ```
    public static func onMain(_ lifetime: Lifetime, _ action: @escaping @MainActor (Value) -> Void) -> BindingTarget {
        BindingTarget(on: UIScheduler(), lifetime: lifetime, action: assumingMain(action))
    }
}

extension Reactive where Base: AnyObject & Sendable {
    /// Makes a target that passes this object and each value to `action` on the main actor, until `lifetime` ends. The target does
    /// not keep the object alive.
    ///
    /// ```swift
    /// extension Reactive where Base: TitleView {
    ///     @MainActor var title: BindingTarget<String> {
    ///         makeBindingTarget(lifetime: base.lifetime) { $0.title.text = $1 }
    ///     }
    /// }
    /// ```
    public func makeBindingTarget<Value>(
        lifetime: Lifetime, _ action: @escaping @MainActor (Base, Value) -> Void
    ) -> BindingTarget<Value> {
        .onMain(lifetime) { [weak base] value in
            if let base { action(base, value) }
        }
    }
}

private func assumingMain<Value: Sendable>(_ take: @escaping @MainActor (Value) -> Void) -> @Sendable (Value) -> Void {
    { value in MainActor.assumeIsolated { take(value) } }
}
