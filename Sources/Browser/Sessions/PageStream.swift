import Feedback
import Foundation
import LocalBackend
import Presentation

/// The connection to one tab of a browser: sends the page and then its changes, and finds the controls that the browser
/// names.
///
/// The changes are computed from the page that this browser has, when the connection can take more. A slow reader
/// misses states in between and always gets the last one; nothing is queued for it.
final class PageStream: Sendable {
    let id = Secret().text
    private let screens: ScreenStack
    private let server: String
    private let content = Locked(Content())
    private let actions = Signal<Void, NoError>.pipe()

    private struct Content: Sendable {
        var page = Page()
        /// The number of the screen's model.
        var screen: Int?
        /// Counts the screens that were on top.
        var screenCount = 0
        var depth = 0
        /// The number of the last action of the browser that was carried out.
        var handled = 0
        var toldHandled = 0
    }

    init(_ screens: ScreenStack, server: String) {
        self.screens = screens
        self.server = server
    }

    /// Sends messages until the browser disconnects.
    func send(to events: LocalBackend.EventWriter, heartbeat: Duration) async throws {
        for await isBeat in screens.changes.merge(with: actions.output.producer).withBeats(every: heartbeat) {
            // A beat may have taken the place of a change.
            if let (name, json) = next() {
                try await events.send(.init(json, name: name))
            } else if isBeat {
                try await events.send(.beat)
            }
        }
    }

    /// Returns the next message to the browser; `nil` if it is up to date.
    func next() -> (name: String, json: String)? {
        // Before the screen, which then shows at least these actions.
        let handled = content.withLock(\.handled)
        let stack = screens.screens
        let top = stack.last
        let screen = top?.screen ?? Self.end
        return content.withLock { content in
            let changes = content.page.update(to: screen)
            let identity = top?.id
            let message: PageMessage
            if content.screenCount == 0 || content.screen != identity || content.depth != stack.count {
                content.screenCount += 1
                content.screen = identity
                content.depth = stack.count
                message = .page(
                    .init(
                        stream: id, server: server, screen: content.screenCount, model: identity ?? 0,
                        depth: stack.count, handled: handled, title: content.page.title,
                        html: content.page.html.string))
            } else if changes.isEmpty, content.toldHandled == handled {
                return nil
            } else {
                message = .change(changes, handled: handled)
            }
            content.toldHandled = handled
            return (message.name, message.json(of: content.page))
        }
    }

    /// The screen that is shown when the flow has ended and no screen is left.
    private static let end = Screen<AnyAction>(
        title: "The end", sections: [.init(rows: [.text("All screens are closed. Reload the page to start again.")])])

    // MARK: - Actions

    /// Returns the control with this id, as it is on the screen now: the browser may not have the last change yet.
    ///
    /// There is none if the id may stand for another control than the one that the person saw.
    func control(_ id: String, on top: LiveScreen) -> Screen<AnyAction>.Control? {
        let shown = content.withLock(\.page)
        var page = shown
        _ = page.update(to: top.screen)
        guard page.identity(of: id) == shown.identity(of: id), !page.hasMoved(id, since: shown) else { return nil }
        return page.controls[id]
    }

    /// Returns true if the browser's screen is still the one on top: an action for another screen must not reach this
    /// one.
    func isCurrent(_ screen: Int, _ top: LiveScreen) -> Bool {
        let stack = screens.screens
        return content.withLock { content in
            content.screenCount == screen && content.depth == stack.count
                && content.screen == top.id && stack.last?.id == top.id
        }
    }

    /// Records that an action was carried out or refused, and tells the browser.
    func note(handled number: Int) {
        content.withLock { $0.handled = max($0.handled, number) }
        actions.input.send(value: ())
    }
}
