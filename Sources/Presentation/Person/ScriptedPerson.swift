import Feedback
import Synchronization

/// Uses the screens of a flow as a person would: for tests of whole flows, and for demos.
///
/// ```swift
/// let flow = CitiesFlowController(CitiesBuilder(accessible: session))
/// flow.start()
/// let person = ScriptedPerson(flow.screens)
/// try await person.uses("London")
/// try await person.types("Sherlock Holmes", into: "Recipient")
/// try await person.uses("Order")
/// try await person.sees("Your delivery is on its way.")
/// ```
///
/// Before and after each act the person waits until the screen shows no progress. If a control or a text is not there,
/// the person looks again for a while, and then throws a ``ScriptError`` that prints the screen.
///
/// A second person can act on the same screens while something is under way:
///
/// ```swift
/// let hasty = ScriptedPerson(flow.screens) { $0.waitsForProgress = false }
/// try await hasty.uses("Upload")
/// try await hasty.uses("Cancel")
/// ```
public final class ScriptedPerson: Sendable {
    /// Limits of the person's patience.
    public struct Patience: Sendable {
        /// The time to look for a control or a text on a screen that shows no progress.
        public var looking = Duration.seconds(60)
        /// The time to wait for the end of progress.
        public var waiting = Duration.seconds(60)
        /// False to act while the screen shows progress, such as to cancel an upload.
        public var waitsForProgress = true
        /// The number of times to press the button of an error, such as "Try again", before an act. With 0, errors
        /// stay, and those without a button always do.
        public var retries = 0
        /// True to act only after nothing has happened for a moment, and to use a control once even if the script says
        /// several times. Recordings need this, so that two runs of a script differ less.
        public var isDeliberate = false
        /// The time for which a deliberate person waits for the progress of screens beneath the top. Some show progress all
        /// the time.
        var waitingBeneath = Duration.seconds(5)

        /// Makes the patience that suits most tests: a minute for a control, a minute for progress, no retries.
        public init() {}
    }

    /// Something that a person does, for reports.
    public enum Act: Equatable, Sendable, CustomStringConvertible {
        /// Presses a button, or makes a choice.
        case uses(String, times: Int)
        /// Replaces the text of a field.
        case types(String, into: String)
        /// Presses the button of an error.
        case retries(String)
        /// Looks at the screen after waiting until it shows no progress.
        case looks

        public var description: String {
            switch self {
            case let .uses(name, times): "uses \"\(name)\"" + (times == 1 ? "" : ", \(times) times")
            case let .types(text, field): "types \"\(text)\" into \"\(field)\""
            case let .retries(name): "uses \"\(name)\""
            case .looks: "looks at the screen"
            }
        }
    }

    private let screens: ScreenStack
    private let patience: Patience
    private let onAct: @Sendable (Act) -> Void
    private let reduced: CountedEvents
    private let listening: ScopedDisposable

    /// - Parameters:
    ///   - configure: Changes the limits of the person's patience.
    ///   - onAct: Called before each act.
    public init(
        _ screens: ScreenStack, configure: (inout Patience) -> Void = { _ in },
        onAct: @escaping @Sendable (Act) -> Void = { _ in }
    ) {
        var patience = Patience()
        configure(&patience)
        self.screens = screens
        self.patience = patience
        self.onAct = onAct
        let reduced = CountedEvents()
        self.reduced = reduced
        listening = ScopedDisposable(
            screens.steps.startWithValues { if case .reduced = $0.step { reduced.increment() } })
    }

    // MARK: - Acting

    /// Presses a button or makes a choice; several times in a row with `times: 2`, as in a hurry.
    ///
    /// `<redacted>` in the name stands for any text if no control has just this name, and only one other name fits.
    ///
    /// - Parameter number: The place among several controls with this name, from 0.
    public func uses(
        _ name: String, times: Int = 1, number: Int = 0, file: String = #fileID, line: Int = #line
    ) async throws(ScriptError) {
        let place = "\(file):\(line)"
        let times = patience.isDeliberate ? min(times, 1) : times
        try await settle(place)
        await waitForQuiet()
        onAct(.uses(name, times: times))
        let action = try await find(.controlNotFound(name), place) { $0?.action(named: name, number: number) }
        await take(action, times: times)
        try await settle(place)
    }

    /// Replaces the text of a field.
    ///
    /// - Parameter number: The place among several fields with this name, from 0.
    public func types(
        _ text: String, into name: String, number: Int = 0, file: String = #fileID, line: Int = #line
    ) async throws(ScriptError) {
        let place = "\(file):\(line)"
        try await settle(place)
        await waitForQuiet()
        onAct(.types(text, into: name))
        let action = try await find(.controlNotFound(name), place) { $0?.edit(text, in: name, number: number) }
        await take(action)
        try await settle(place)
    }

    /// Looks for a text on the screen until it appears. The example in an empty field does not count.
    public func sees(_ text: String, file: String = #fileID, line: Int = #line) async throws(ScriptError) {
        let place = "\(file):\(line)"
        try await settle(place)
        try await find(.textNotSeen(text), place) { $0.shows(text) ? () : nil }
        try await settle(place)
    }

    /// Looks at the screen until a text is not on it. The example in an empty field does not count.
    ///
    /// A text that has not come yet is not on the screen either. So let the person first see what comes with it, or after
    /// it:
    ///
    /// ```swift
    /// try await person.uses("Delete it")
    /// try await person.sees("23 movies in all.")
    /// try await person.doesNotSee("The Third Man")
    /// ```
    public func doesNotSee(_ text: String, file: String = #fileID, line: Int = #line) async throws(ScriptError) {
        let place = "\(file):\(line)"
        try await settle(place)
        // While a list is loaded again, nothing of it may be on the screen.
        try await find(.textSeen(text), place) { isSettled && !$0.shows(text) ? () : nil }
        try await settle(place)
    }

    /// Waits until the screen shows no progress, unless the patience says otherwise.
    ///
    /// - Returns: The screen as text, in lines of up to 200 columns; `nil` if there is none.
    @discardableResult
    public func looks(file: String = #fileID, line: Int = #line) async throws(ScriptError) -> String? {
        try await settle("\(file):\(line)")
        return screens.top?.screen.wideText
    }
}

// MARK: - Machinery

extension ScriptedPerson {
    /// Waits until nothing is under way, and tries again what has failed.
    private func settle(_ place: String) async throws(ScriptError) {
        for _ in 0..<max(0, patience.retries) {
            try await waitForProgress(place)
            guard let button = screens.top?.screen.errors.lazy.compactMap(\.button).first else { return onAct(.looks) }
            onAct(.retries(button.title))
            await take(button.action)
        }
        try await waitForProgress(place)
        if patience.retries > 0, let failure = screens.top?.screen.errors.first(where: { $0.button != nil }) {
            throw error(.stillFailing(failure.message, retries: patience.retries), place)
        }
        onAct(.looks)
    }

    /// Waits until no event has been reduced for a moment and no screen shows progress, also none beneath the top, as a
    /// deliberate person does. One that shows progress all the time is waited for a few seconds.
    private func waitForQuiet() async {
        guard patience.isDeliberate else { return }
        let end = ContinuousClock.now + patience.looking
        var count = -1
        let endOfProgress = min(end, .now + patience.waitingBeneath)
        while count != reduced.count
            || patience.waitsForProgress && ContinuousClock.now < endOfProgress
                && screens.screens.contains(where: { !$0.screen.progress.isEmpty })
        {
            guard ContinuousClock.now < end, !Task.isCancelled else { return }
            count = reduced.count
            try? await Task.sleep(for: .milliseconds(60))
        }
    }

    private func waitForProgress(_ place: String) async throws(ScriptError) {
        guard patience.waitsForProgress else { return }
        let end = ContinuousClock.now + patience.waiting
        while let progress = screens.top?.screen.progress.first {
            guard ContinuousClock.now < end, !Task.isCancelled else {
                throw error(.stillBusy(progress.label), place)
            }
            let isIdle = screens.changes.map { [screens] _ in screens.top?.screen.progress.isEmpty ?? true }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await isIdle in isIdle.values where isIdle { return } }
                group.addTask { try? await Task.sleep(until: end) }
                await group.next()
                group.cancelAll()
            }
        }
    }

    /// Looks at the screen until `look` finds something: the screen changes a little after the event that changes it.
    ///
    /// Work that begins meanwhile, such as a list that is loaded again, is waited for, and tried again if it fails.
    @discardableResult
    private func find<Finding>(
        _ problem: ScriptError.Problem, _ place: String, _ look: (Screen<AnyAction>?) -> Finding?
    ) async throws(ScriptError) -> Finding {
        let end = ContinuousClock.now + patience.looking
        while true {
            let isSettled = isSettled
            if let finding = look(screens.top?.screen) { return finding }
            if !isSettled {
                try await settle(place)
                continue
            }
            guard ContinuousClock.now < end, !Task.isCancelled else { throw error(problem, place) }
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    /// `true` if the screen shows no progress, and no error that is to be tried again.
    private var isSettled: Bool {
        guard let screen = screens.top?.screen else { return true }
        return (!patience.waitsForProgress || screen.progress.isEmpty)
            && (patience.retries <= 0 || screen.errors.allSatisfy { $0.button == nil })
    }

    /// Takes an action, and waits until its events are handled: they may be queued behind an event that the loop is
    /// handling.
    private func take(_ action: AnyAction, times: Int = 1) async {
        let screen = screens.top
        for _ in 0..<max(0, times) { action() }
        await screen?.settled()
    }

    private func error(_ problem: ScriptError.Problem, _ place: String) -> ScriptError {
        ScriptError(problem: problem, screen: screens.top?.screen.wideText, place: place)
    }
}

private final class CountedEvents: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .acquiring) }

    func increment() { value.add(1, ordering: .acquiringAndReleasing) }
}
