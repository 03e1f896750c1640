import Feedback
import Synchronization

extension ScreenStack {
    /// The use of a control on one of the screens, by the name that a person reads.
    public enum Act: Equatable, Sendable {
        /// A button was pressed or a choice was made. `place` tells controls of one name apart: 0 for the first on the
        /// screen.
        case uses(String, place: Int = 0)
        /// The text of a field was replaced.
        case types(String, into: String, place: Int = 0)
    }

    /// All that a person does on the screens, with any display. Each act is sent before its action is taken, with the
    /// number of the screen's model, which is the `id` of its ``Step``s.
    ///
    /// Screens that were read before the listening began do not report.
    public var acts: SignalProducer<(id: Int, act: Act), NoError> {
        reportedActs.map { ($0.id, $0.act) }
    }

    /// The acts, each with the event that it sends to the screen's model.
    package var reportedActs: SignalProducer<ReportedAct, NoError> {
        SignalProducer { [reports] observer, lifetime in lifetime += reports.listen(observer) }
    }

    /// An act on the screen of a model, and the event of its action.
    package struct ReportedAct: Sendable {
        package let id: Int
        package let act: Act
        /// True if the act types into a field for a secret.
        package let isSecret: Bool
        package let event: any Sendable
    }
}

/// Reports an act with its action; `isSecret` if it types into a field for a secret.
typealias ActReport = @Sendable (_ act: ScreenStack.Act, _ isSecret: Bool, _ action: any Sendable) -> Void

/// The listeners to the acts of a stack.
final class ActReports: Sendable {
    private let acts = Signal<ScreenStack.ReportedAct, NoError>.pipe()
    private let listeners = Atomic(0)

    /// Reports the acts on the screen of a model, each with its action; `nil` without a listener.
    func report(of model: StepSource) -> ActReport? {
        guard listeners.load(ordering: .acquiring) > 0 else { return nil }
        return { [acts] act, isSecret, action in
            acts.input.send(value: .init(id: model.id, act: act, isSecret: isSecret, event: model.event(action)))
        }
    }

    func listen(_ observer: Signal<ScreenStack.ReportedAct, NoError>.Observer) -> AnyDisposable {
        let listening = acts.output.observe(observer)
        listeners.add(1, ordering: .acquiringAndReleasing)
        return AnyDisposable { [listeners = self] in
            listeners.listeners.subtract(1, ordering: .acquiringAndReleasing)
            listening?.dispose()
        }
    }
}

extension Screen where Action == AnyAction {
    /// The same screen, whose controls report their use.
    func reporting(_ report: @escaping ActReport) -> Self {
        var counts: [String: Int] = [:]
        var fields: [String: Int] = [:]
        func button(_ button: Button) -> Button {
            let place = counts[button.title, default: 0]
            counts[button.title] = place + 1
            var copy = button
            copy.action = button.action.reporting { report(.uses(button.title, place: place), false, $0) }
            return copy
        }
        func row(_ row: Row) -> Row {
            switch row {
            case let .choice(choice):
                let place = counts[choice.title, default: 0]
                counts[choice.title] = place + 1
                var copy = choice
                copy.action = choice.action.reporting { report(.uses(choice.title, place: place), false, $0) }
                return .choice(copy)
            case let .field(field):
                let place = fields[field.label, default: 0]
                fields[field.label] = place + 1
                var copy = field
                copy.edit = { text in
                    field.edit(text).reporting {
                        report(.types(text, into: field.label, place: place), field.isSecret, $0)
                    }
                }
                return .field(copy)
            case let .button(plain): return .button(button(plain))
            case var .notice(notice):
                notice.button = notice.button.map(button)
                return .notice(notice)
            case .text, .value, .progress, .picture: return row
            }
        }
        var screen = self
        screen.sections = sections.map { section in
            var copy = section
            copy.rows = section.rows.map(row)
            return copy
        }
        screen.actions = actions.map(button)
        return screen
    }

    /// Returns the action of an act, if the act is possible now.
    package func action(of act: ScreenStack.Act) -> AnyAction? {
        switch act {
        case let .uses(name, place):
            let named = pressable(named: name)
            guard named.indices.contains(place), named[place].isEnabled else { return nil }
            return switch named[place] {
            case let .button(button): button.action
            case let .choice(choice): choice.action
            case .field: nil
            }
        case let .types(text, name, place):
            let fields = controls.compactMap { control in
                if case let .field(field) = control, field.label == name { field } else { nil }
            }
            return fields.indices.contains(place) && fields[place].isEnabled ? fields[place].edit(text) : nil
        }
    }
}
