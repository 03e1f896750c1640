import Feedback

extension Feedback {
    /// Sends the route that an event leads to, if any, to the observer of a view model's `routes`.
    ///
    /// ```swift
    /// let (routes, observer) = Signal<Route, NoError>.pipe()
    /// … feedbacks: [.routing(to: observer) { event, state in
    ///     if case let .ui(.choose(id)) = event { state.city(id).map(Route.deliver) } else { nil }
    /// }]
    /// ```
    ///
    /// - Parameter route: Gets the event, and the state after it.
    public static func routing<Route>(
        to observer: Signal<Route, NoError>.Observer, _ route: @escaping @Sendable (Event, State) -> Route?
    ) -> Feedback {
        Feedback(
            extracting: { $0 },
            effects: { event, state -> SignalProducer<Event, NoError> in
                guard let route = route(event, state) else { return .empty }
                return SignalProducer { effect, _ in
                    observer.send(value: route)
                    effect.sendCompleted()
                }
            })
    }
}
