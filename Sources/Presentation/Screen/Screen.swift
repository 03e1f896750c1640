/// What a person sees and can do, as a value: a terminal draws it today, and SwiftUI or HTML could tomorrow.
///
/// Controls carry the actions that they stand for, so whoever draws the screen needs to know nothing of the feature.
/// Texts are as they came, from servers too; making them safe to show is the business of what draws them.
public struct Screen<Action: Sendable>: Sendable {
    public var title: String
    public var sections: [Section]
    /// What can be done on the screen as a whole.
    public var actions: [Button]

    public init(title: String, sections: [Section] = [], actions: [Button] = []) {
        self.title = title
        self.sections = sections
        self.actions = actions
    }

    /// Rows that belong together.
    public struct Section: Sendable {
        public var title: String?
        public var rows: [Row]

        public init(_ title: String? = nil, rows: [Row]) {
            self.title = title
            self.rows = rows
        }
    }
}

extension Screen {
    /// The same screen with other actions, such as those of a feature that contains this one.
    public func map<Other>(_ transform: @escaping @Sendable (Action) -> Other) -> Screen<Other> {
        Screen<Other>(
            title: title,
            sections: sections.map { section in
                .init(section.title, rows: section.rows.map { $0.map(transform) })
            },
            actions: actions.map { $0.map(transform) })
    }
}

extension Screen: Equatable where Action: Equatable {}
extension Screen.Section: Equatable where Action: Equatable {}

// MARK: - What it says of itself

extension Screen {
    /// All rows, in order.
    public var rows: [Row] { sections.flatMap(\.rows) }

    /// What the screen is waiting for.
    public var progress: [Progress] {
        rows.compactMap { if case let .progress(progress) = $0 { progress } else { nil } }
    }

    /// What the screen has to report.
    public var notices: [Notice] {
        rows.compactMap { if case let .notice(notice) = $0 { notice } else { nil } }
    }

    /// What went wrong.
    public var errors: [Notice] { notices.filter { $0.kind == .error } }
}
