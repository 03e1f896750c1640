import Feedback
import Foundation
import LocalBackend
import Presentation

/// The screens of one browser, and the tabs that show them.
final class BrowserSession: Sendable {
    private let start: @Sendable (ScreenStack) -> any FlowController
    private let server: String
    private let state: Locked<State>
    let screens: ScreenStack
    /// The steps of the screens' loops; `nil` if there is no inspector.
    let history: StepHistory?
    private let listening: ScopedDisposable?

    /// The number of tabs that may send actions to one session. With one more, the tab that connected first may not any
    /// more.
    static let maximumStreams = 8

    private struct State: Sendable {
        var controller: (any FlowController)?
        var streams: [PageStream] = []
        var lastUse = ContinuousClock.now
        var isStarting = false
    }

    init(
        server: String, isInspected: Bool = false, start: @escaping @Sendable (ScreenStack) -> any FlowController
    ) {
        self.server = server
        self.start = start
        state = Locked(State())
        screens = ScreenStack()
        history = isInspected ? StepHistory() : nil
        listening = history.map { [screens] in ScopedDisposable($0.follow(screens)) }
    }

    var lastUse: ContinuousClock.Instant { state.withLock { $0.lastUse } }
    var isWatched: Bool { state.withLock { !$0.streams.isEmpty } }

    // MARK: - Showing

    /// Sends the page and its changes until the browser disconnects. A session without screens starts its flow.
    ///
    /// - Parameter heartbeat: The time after which a quiet browser is told that its connection lasts.
    func show(to events: LocalBackend.EventWriter, heartbeat: Duration) async throws {
        let stream = PageStream(startedScreens(), server: server)
        state.withLock { state in
            state.streams.append(stream)
            if state.streams.count > Self.maximumStreams { state.streams.removeFirst() }
        }
        defer { state.withLock { state in state.streams.removeAll { $0 === stream } } }
        try await stream.send(to: events, heartbeat: heartbeat)
    }

    private func startedScreens() -> ScreenStack {
        // Of two tabs that open at once, one starts the flow.
        let isFirst = state.withLock { state in
            state.lastUse = .now
            guard screens.top == nil, !state.isStarting else { return false }
            state.isStarting = true
            return true
        }
        guard isFirst else { return screens }
        // The flow that has ended goes first, with the models that it holds: outside the lock.
        _ = state.withLock { state in
            defer { state.controller = nil }
            return state.controller
        }
        let controller = start(screens)
        state.withLock { $0.controller = controller }
        controller.start()
        state.withLock { $0.isStarting = false }
        return screens
    }

    // MARK: - Acting

    /// A message from the browser: a person has used something.
    struct Message: Decodable, Sendable {
        let stream: String
        /// Counts the messages of the stream.
        let number: Int
        /// The screen on which it was used.
        let screen: Int?
        /// The control that was used.
        let control: String?
        /// The key that was pressed. A message without a control and a key comes from the browser's back button.
        let key: String?
        /// The text that was typed into the control.
        let text: String?
    }

    /// The longest text that a field may send, in UTF-16 code units, as browsers count.
    static let maximumText = 65_536

    /// Carries out what a person has done, and returns when the screen shows it: the browser takes a text that is not
    /// there then for one that was refused.
    func act(_ message: Message) async throws(LocalBackend.Refusal) {
        let stream = state.withLock { state in
            state.lastUse = .now
            return state.streams.first { $0.id == message.stream }
        }
        guard let stream else { throw .init(410, "The page is out of date. It connects again by itself.") }
        defer { stream.note(handled: message.number) }
        let top = screens.top
        try take(message, on: stream, top)
        // The loop may be handling another event, and take this one after it.
        await top?.settled()
    }

    /// - Parameter top: The screen that was on top when the message came. Another one can replace it at any time, but does
    ///   not get the action.
    private func take(
        _ message: Message, on stream: PageStream, _ top: LiveScreen?
    ) throws(LocalBackend.Refusal) {
        let isBack = message.control == nil && message.key == nil
        guard let screen = message.screen, let top, stream.isCurrent(screen, top) else {
            // The screen has left by itself, or another one has come above it: nothing is left to do.
            if isBack { return }
            throw .init(409, "Another screen is shown now.")
        }
        if isBack { return goBack(from: top) }
        if let key = message.key { return press(key, on: top) }
        guard let name = message.control, let control = stream.control(name, on: top), control.isEnabled else {
            throw .init(409, "This control is no longer on the screen.")
        }
        switch control {
        case let .button(button): button.action()
        case let .choice(choice): choice.action()
        case let .field(field):
            let text = message.text ?? ""
            guard text.utf16.count <= Self.maximumText else {
                throw .init(413, "The text is longer than \(Self.maximumText) characters.")
            }
            field.edit(text)()
        }
    }

    /// Presses the button that the key presses now: an edit that came before it may have enabled it.
    private func press(_ key: String, on top: LiveScreen) {
        for case let .button(button) in top.screen.controls
        where button.key?.shortcut == key && button.isEnabled {
            return button.action()
        }
    }

    /// Leaves the screen: presses its button for Escape, or pops it if it has none and is not the last screen. If the
    /// button is disabled, the screen stays.
    private func goBack(from top: LiveScreen) {
        let screen = top.screen
        if let button = screen.button(for: .escape) {
            button.action()
        } else if screens.screens.count > 1, !screen.hasButton(for: .escape) {
            screens.pop(top)
        }
    }
}

extension Screen {
    /// Returns true if a button has the key, also if it cannot be pressed now.
    fileprivate func hasButton(for key: Key) -> Bool {
        controls.contains { if case let .button(button) = $0 { button.key == key } else { false } }
    }
}
