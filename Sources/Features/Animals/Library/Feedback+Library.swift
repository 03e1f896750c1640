import Feedback

extension Feedback {
    /// Asks a library for what an event leads to, if to anything.
    ///
    /// - Parameter action: Gets the event, and the state after it.
    static func asking(
        _ library: AnimalsLibrary, _ action: @escaping @Sendable (Event, State) -> AnimalsLibrary.Action?
    ) -> Feedback {
        Feedback(
            extracting: { $0 },
            effects: { event, state -> SignalProducer<Event, NoError> in
                guard let action = action(event, state) else { return .empty }
                return SignalProducer { effect, _ in
                    library.send(action)
                    effect.sendCompleted()
                }
            })
    }
}
