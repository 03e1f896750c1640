import Feedback

/// Hears each event of a feature's loops, with the state before and after it: for demos, logs and reports of bugs.
///
/// ```swift
/// loop = FeedbackLoop(initial: State(), reduce: log.recording(Self.reduce), feedbacks: feedbacks)
/// ```
public struct EventLog: Sendable {
    /// One event, and what it did.
    public struct Entry: Sendable {
        public let event: any Sendable
        public let before: any Sendable
        public let after: any Sendable
    }

    /// Hears nothing, and costs nothing.
    public static let silent = EventLog(write: nil)

    private let write: (@Sendable (Entry) -> Void)?

    /// - Parameter write: Called in the loop's turn, while its state is locked: it must be quick, and not read the loop.
    public init(_ write: @escaping @Sendable (Entry) -> Void) {
        self.init(write: write)
    }

    private init(write: (@Sendable (Entry) -> Void)?) {
        self.write = write
    }

    /// The same reducer, which tells this log of each event.
    public func recording<State: Sendable, Event: Sendable>(
        _ reduce: @escaping Reducer<State, Event>
    ) -> Reducer<State, Event> {
        guard let write else { return reduce }
        return { state, event in
            let before = state
            reduce(&state, event)
            write(Entry(event: event, before: before, after: state))
        }
    }
}
