import Feedback
import Foundation
import Presentation

/// Prints what happens in a flow: each event, what it changed in the state, and the screen after it.
final class Report: Sendable {
    private struct Notes: Sendable {
        var unread: [Change] = []
        /// The latest state of each model.
        var states: [Int: any Sendable] = [:]
        /// The id of the screen on top.
        var top: Int?
        /// The lines of the screen that was printed last.
        var shown: [String] = []
        var tally = Tally()
    }

    /// An event that was reduced.
    private struct Change: Sendable {
        let event: any Sendable
        let source: EventSource
        let before: (any Sendable)?
        let after: any Sendable
        let look: (@Sendable (any Sendable) -> Screen<AnyAction>?)?
    }

    /// The numbers for the summary.
    struct Tally: Equatable, Sendable {
        var steps = 0
        var events = 0
        var retries = 0
    }

    private let console: Console
    /// `true` if whole screens are printed; `false` for only the lines that have changed.
    private let isVerbose: Bool
    private let notes = Locked(Notes())

    init(_ console: Console, isVerbose: Bool = false) {
        self.console = console
        self.isVerbose = isVerbose
    }

    var tally: Tally { notes.withLock(\.tally) }

    /// Records the steps of the screens, to be printed later.
    ///
    /// - Returns: A disposable that stops it.
    func follow(_ screens: ScreenStack) -> any Disposable {
        screens.steps.startWithValues { [self] step in note(step) }
    }

    private func note(_ step: ScreenStack.Step) {
        notes.withLock { notes in
            switch step.step {
            case let .initial(state, _):
                notes.states[step.id] = state
            case let .reduced(event, source, state):
                notes.unread.append(
                    Change(
                        event: event, source: source, before: notes.states[step.id], after: state, look: step.look))
                notes.states[step.id] = state
                notes.tally.events += 1
            case .started, .ended, .withdrawn:
                break
            }
        }
    }

    /// Prints a step at once.
    func tell(_ step: ScreenStack.Step, on screens: ScreenStack) {
        note(step)
        catchUp(with: screens)
    }

    // MARK: - Printing

    func title(_ text: String) {
        let line = "══ \(text) "
        console.print(StyledLine())
        console.print(StyledLine(line + String(repeating: "═", count: max(0, console.width - line.columns)), .title))
    }

    /// Prints all that has happened before an act of the person, and the act.
    func tell(_ act: ScriptedPerson.Act, on screens: ScreenStack) {
        catchUp(with: screens)
        if act == .looks { return }
        if case .retries = act { notes.withLock { $0.tally.retries += 1 } }
        title(ofStep: "The person \(act)")
    }

    /// Prints an act of a recording.
    func title(of act: ScreenStack.Act) { title(ofStep: act.description) }

    private func title(ofStep text: String) {
        let step = notes.withLock { notes in
            notes.tally.steps += 1
            return notes.tally.steps
        }
        console.print(StyledLine())
        console.print(StyledLine("\(step). \(text)", .title))
    }

    /// Prints all that has happened since the last time.
    func catchUp(with screens: ScreenStack) {
        let changes = notes.withLock { notes in
            defer { notes.unread = [] }
            return notes.unread
        }
        for change in changes { tell(change) }
        let top = screens.top
        let isNew = notes.withLock { notes in
            defer { notes.top = top?.id }
            return notes.top != top?.id
        }
        guard isNew else { return }
        if let top {
            print("screen", "now on top:")
            show(top.screen, isNew: true)
        } else {
            print("screen", "the last one was closed")
        }
    }

    private func tell(_ change: Change) {
        let source = change.source == .sent ? "" : " from \(change.source)"
        print("event", ValueSummary.line(of: change.event) + source)
        let changes = StateDifference.lines(from: change.before ?? change.after, to: change.after)
        for (index, line) in changes.enumerated() {
            print(index == 0 ? "state" : "", line)
        }
        if changes.isEmpty { return print("state", "unchanged", .faint) }
        if let screen = change.look?(change.after) { show(screen, isNew: false) }
    }

    /// Prints a text behind a label. A text that is too long goes on in the next lines.
    private func print(_ label: String, _ text: String, _ role: StyledLine.Role = .plain) {
        for (index, part) in text.wrapped(to: console.width - 11).enumerated() {
            var line = StyledLine("   " + (index == 0 ? label : "").padded(to: 8), .accent)
            line.append(part, role)
            console.print(line)
        }
    }

    /// Prints a screen that is new, or the lines of it that have changed.
    private func show(_ screen: Screen<AnyAction>, isNew: Bool) {
        let lines = ScreenLayout(width: console.width - 7).parts(of: screen).lines
        let before = notes.withLock { notes in
            defer { notes.shown = lines.map(\.text) }
            return notes.shown
        }
        let changed = lines.map(\.text).difference(from: before).insertions.map { change in
            switch change {
            case let .insert(offset, _, _), let .remove(offset, _, _): offset
            }
        }
        for (index, line) in lines.enumerated() where isNew || isVerbose || changed.contains(index) {
            if line.text.isEmpty, !isNew, !isVerbose { continue }
            var framed = StyledLine("   │ ", .faint)
            for span in line.spans { framed.append(span.text, span.role) }
            console.print(framed)
        }
    }
}
