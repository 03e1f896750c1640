import Feedback
import Foundation
import Presentation

/// Tells a reader what happens: each event, what it changed in the state, and the screen after it.
final class Report: Sendable {
    private struct Notes: Sendable {
        var unread: [EventLog.Entry] = []
        /// How screens look, newest first; kept so that also the last event of one that is gone can be shown.
        var looks: [@Sendable (any Sendable) -> Screen<AnyAction>?] = []
        var top: ObjectIdentifier?
        var tally = Tally()
    }

    /// What is counted.
    struct Tally: Equatable, Sendable {
        var steps = 0
        var events = 0
        var retries = 0
    }

    private let console: Console
    private let notes = Locked(Notes())

    init(_ console: Console) {
        self.console = console
    }

    /// What the loops of the features write into.
    var log: EventLog {
        EventLog { [self] entry in
            notes.withLock { notes in
                notes.unread.append(entry)
                notes.tally.events += 1
            }
        }
    }

    var tally: Tally { notes.withLock(\.tally) }

    func countRetry() { notes.withLock { $0.tally.retries += 1 } }

    // MARK: - Telling

    func title(_ text: String) {
        let line = "══ \(text) "
        console.print(StyledLine())
        console.print(StyledLine(line + String(repeating: "═", count: max(0, console.width - line.columns)), .title))
    }

    /// Tells what the person does next, after all that has happened before.
    func act(_ text: String, on screens: ScreenStack) {
        catchUp(with: screens)
        let step = notes.withLock { notes in
            notes.tally.steps += 1
            return notes.tally.steps
        }
        console.print(StyledLine())
        console.print(StyledLine("\(step). The person \(text)", .title))
    }

    /// Tells all that has happened since the last time.
    func catchUp(with screens: ScreenStack) {
        let stack = screens.screens
        let entries = notes.withLock { notes in
            notes.looks.insert(contentsOf: stack.reversed().map(\.look), at: 0)
            notes.looks = Array(notes.looks.prefix(2 * stack.count + 8))
            defer { notes.unread = [] }
            return notes.unread
        }
        for entry in entries { tell(entry) }
        let top = stack.last
        let isNew = notes.withLock { notes in
            defer { notes.top = top.map(ObjectIdentifier.init) }
            return notes.top != top.map(ObjectIdentifier.init)
        }
        guard isNew else { return }
        if let top {
            console.print(labelled("screen", "this one is on top now"))
            show(top.screen)
        } else {
            console.print(labelled("screen", "none is left"))
        }
    }

    private func tell(_ entry: EventLog.Entry) {
        console.print(labelled("event", Description.line(of: entry.event)))
        let changes = StateDifference.lines(from: entry.before, to: entry.after)
        for (index, change) in changes.enumerated() {
            console.print(labelled(index == 0 ? "state" : "", change))
        }
        if changes.isEmpty { return console.print(labelled("state", "unchanged", .faint)) }
        let looks = notes.withLock(\.looks)
        if let screen = looks.lazy.compactMap({ $0(entry.after) }).first { show(screen) }
    }

    private func labelled(_ label: String, _ text: String, _ role: StyledLine.Role = .plain) -> StyledLine {
        var line = StyledLine("   " + label.padded(to: 8), .accent)
        line.append(text, role)
        return line.fitted(to: console.width)
    }

    private func show(_ screen: Screen<AnyAction>) {
        let layout = ScreenLayout(width: console.width - 7)
        for line in layout.parts(of: screen).lines {
            var framed = StyledLine("   │ ", .faint)
            for span in line.spans { framed.append(span.text, span.role) }
            console.print(framed)
        }
    }
}
