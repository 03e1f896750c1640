/// The content and the controls of a screen, as a value. A terminal or a browser displays it.
///
/// Controls carry the actions that they stand for, so a display needs to know nothing of the feature. Texts may come
/// from servers and are not changed here; the code that draws them makes them safe to show.
public struct Screen<Action: Sendable>: Sendable {
    /// The title of the screen.
    public var title: String
    /// The content, from top to bottom.
    public var sections: [Section]
    /// The buttons of the screen as a whole.
    public var actions: [Button]

    /// Makes a screen.
    public init(title: String, sections: [Section] = [], actions: [Button] = []) {
        self.title = title
        self.sections = sections
        self.actions = actions
    }

    /// Rows that belong together.
    public struct Section: Sendable {
        /// The title above the rows, if there is one.
        public var title: String?
        /// The rows, from top to bottom.
        public var rows: [Row]

        /// Makes a section.
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

// MARK: - Parts

extension Screen {
    /// All rows, in order.
    public var rows: [Row] { sections.flatMap(\.rows) }

    /// The work that is under way.
    public var progress: [Progress] {
        rows.compactMap { if case let .progress(progress) = $0 { progress } else { nil } }
    }

    /// All notices.
    public var notices: [Notice] {
        rows.compactMap { if case let .notice(notice) = $0 { notice } else { nil } }
    }

    /// The notices of errors.
    public var errors: [Notice] { notices.filter { $0.kind == .error } }
}
