extension Feedback {
    /// Makes a feedback of a part that is not always there into one of the whole.
    ///
    /// ```swift
    /// let saving: Feedback<State, Event> = .pullback(
    ///     Editor.whenSaving(api), value: \.editor, event: Event.editor     // State.editor is an Editor.State?
    /// ) {
    ///     if case let .editor(event) = $0 { event } else { nil }
    /// }
    /// ```
    ///
    /// The feedback starts anew each time the part appears, with its first state. When the part becomes `nil`, the effects
    /// are cancelled, and the events that the feedback has queued are withdrawn; so they do not reach a part that appears
    /// later. The reducer of an optional part, made by the function `pullback`, drops the events that others send to a part
    /// that is not there.
    ///
    /// A part that is replaced by another one in a single event does not count as gone. Where that matters, use
    /// `Feedback(eachNew:id:)`.
    ///
    /// - Parameters:
    ///   - value: Gets the part's state from the whole's, `nil` if the part is not there; a key path will do.
    ///   - embed: Embeds the part's events in the whole's.
    ///   - extract: Gets the part's event from the whole's; `nil` if it holds none.
    public static func pullback<LocalState, LocalEvent>(
        _ feedback: Feedback<LocalState, LocalEvent>,
        value: @escaping @Sendable (State) -> LocalState?,
        event embed: @escaping @Sendable (LocalEvent) -> Event,
        extract: @escaping @Sendable (Event) -> LocalEvent?
    ) -> Feedback {
        Feedback(
            name: feedback.name,
            attach: { output, scope in
                let part = OptionalPart(feedback, output, embed)
                scope.insert(part)
                return { state, event in part.watch(value(state), event.flatMap(extract)) }
            })
    }
}

/// A feedback that is at work while a part of the state is there.
private final class OptionalPart<State: Sendable, Event: Sendable, WholeEvent: Sendable>: Disposable {
    private let feedback: Feedback<State, Event>
    private let output: FeedbackOutput<WholeEvent>
    private let embed: @Sendable (Event) -> WholeEvent
    private let running = SerialDisposable()
    // Guarded by law 1: only read and written in the loop's turn.
    nonisolated(unsafe) private var presence: (part: EffectToken, watch: Feedback<State, Event>.Watch?)?

    init(
        _ feedback: Feedback<State, Event>, _ output: FeedbackOutput<WholeEvent>,
        _ embed: @escaping @Sendable (Event) -> WholeEvent
    ) {
        self.feedback = feedback
        self.output = output
        self.embed = embed
    }

    func watch(_ state: State?, _ event: Event?) {
        guard let state else { return leave() }
        if let presence {
            presence.watch?(state, event)
        } else {
            appear(state)
        }
    }

    private func appear(_ state: State) {
        let part = EffectToken(of: output.feedback, in: output.route.part)
        let scope = CompositeDisposable()
        running.inner = scope
        let watch = feedback.attach(output.pullback(embed, in: part), scope)
        presence = (part, watch)
        if !scope.isDisposed { watch?(state, nil) }
    }

    private func leave() {
        guard let part = presence.take()?.part else { return }
        output.cancelAll(in: part)
        running.inner = nil
    }

    var isDisposed: Bool { running.isDisposed }

    func dispose() { running.dispose() }
}
