import Presentation

/// The page that a browser shows: the rows of a screen, each with an id that it keeps as long as the row is shown.
///
/// `update(to:)` compares it with the next state of the screen and returns what the browser must change.
struct Page: Sendable {
    private(set) var title = ""
    private(set) var sections: [Section] = []
    private(set) var actions: [Action] = []
    /// The controls, by their ids.
    private(set) var controls: [String: Screen<AnyAction>.Control] = [:]
    private var lastSection = 0
    private var lastRow = 0
    private var lastAction = 0
    private var actionIDs: [Name: String] = [:]

    /// The number of buttons whose ids are kept while they are not shown.
    private static let maximumActions = 256

    struct Section: Equatable, Sendable {
        let id: Int
        let title: String?
        var rows: [Row]
    }

    struct Row: Equatable, Sendable {
        let id: String
        var content: RowContent
    }

    struct Action: Equatable, Sendable {
        let id: String
        let content: ButtonContent
    }

    /// One thing that a browser must change.
    enum Change: Equatable, Sendable {
        case title(String)
        /// The content of a row has changed.
        case row(Row)
        /// In the section with an id, a number of rows from a place on are replaced. A replaced row that is inserted again only
        /// moves.
        case rows(section: Int, from: Int, removed: Int, inserted: [Insertion])
        case actions([Action])
        /// The sections have changed, so the whole page is sent.
        case everything
    }

    enum Insertion: Equatable, Sendable {
        case new(Row)
        case moved(id: String)
    }
}

// MARK: - Identity

extension Page {
    /// The surroundings of a control, by which it is told from another one with the same id. Controls of one name have ids
    /// by their order, so when one of them has gone, or they are in another order, one gets the id of another.
    struct Identity: Equatable, Sendable {
        /// The number of rows in the section, or of the screen's actions, that have the name.
        let namesakes: Int
        /// The text of a notice: notices have their kinds for names.
        let message: String?
        /// The action of a choice or a button, if others have its name.
        let action: String?
        /// The title of the section, which may be about something else when it has another title; `nil` for a field, since what
        /// is typed into it may change that title.
        let section: String?
    }

    /// Returns the identity of a row or an action; `nil` if nothing has the id.
    func identity(of id: String) -> Identity? {
        for section in sections {
            guard let content = section.rows.first(where: { $0.id == id })?.content else { continue }
            let message = if case let .notice(_, message, _) = content { message } else { nil as String? }
            let title = if case .field = content { nil as String? } else { section.title }
            let namesakes = section.rows.count { $0.content.name == content.name }
            return identity(of: id, namesakes: namesakes, message, title)
        }
        return actions.first { $0.id == id }.map { action in
            identity(of: id, namesakes: actions.count { $0.content.title == action.content.title }, nil, nil)
        }
    }

    private func identity(of id: String, namesakes: Int, _ message: String?, _ section: String?) -> Identity {
        let action: AnyAction? =
            switch controls[id] {
            case let .choice(choice): choice.action
            case let .button(button): button.action
            case .field, nil: nil
            }
        return Identity(
            namesakes: namesakes, message: message, action: namesakes > 1 ? action.map { "\($0)" } : nil,
            section: section)
    }
}

extension Page {
    /// Returns true if the field with the id has changed places with another one of its label since it looked as in `shown`: the other
    /// one now makes the action that this one made. An action may differ for another reason, as it may hold parts of the state.
    func hasMoved(_ id: String, since shown: Page) -> Bool {
        guard case let .field(field)? = shown.controls[id], let action = shown.controls[id]?.actionText,
            controls[id]?.actionText != action
        else { return false }
        return controls.values.contains { control in
            if case .field = control { control.name == field.label && control.actionText == action } else { false }
        }
    }
}

// MARK: - Changing

extension Page {
    /// Makes the page show a screen.
    ///
    /// - Returns: The changes from what it showed before, in the order in which a browser must make them.
    mutating func update(to screen: Screen<AnyAction>) -> [Change] {
        var changes: [Change] = []
        if title != screen.title { changes.append(.title(screen.title)) }
        title = screen.title
        controls = [:]
        if sections.map(\.title) == screen.sections.map(\.title) {
            for index in sections.indices { changes += updateSection(index, to: screen.sections[index].rows) }
        } else {
            sections = identified(screen.sections)
            for index in sections.indices { _ = updateSection(index, to: screen.sections[index].rows) }
            changes.append(.everything)
        }
        let actions = identified(screen.actions.map { ButtonContent($0) })
        if actions != self.actions, !changes.contains(.everything) { changes.append(.actions(actions)) }
        self.actions = actions
        for (action, button) in zip(actions, screen.actions) { controls[action.id] = .button(button) }
        return changes
    }

    /// Returns a section for each of a screen, with the rows that it has had before: those of the section with this title, or
    /// of one whose title has changed. That one has a row whose name no other row has, neither before nor now.
    ///
    /// Of several sections with one title it is unknown which one has come or gone, so none of them is taken for another.
    private mutating func identified(_ new: [Screen<AnyAction>.Section]) -> [Section] {
        let counts = Self.counts(new.map(\.title))
        var staying = Dictionary(grouping: sections, by: \.title).filter { $1.count == counts[$0] }
        let names = new.map { $0.rows.map { RowContent($0).name } }
        let before = Self.counts(sections.flatMap { $0.rows.map(\.content.name) })
        let now = Self.counts(names.flatMap { $0 })
        var others: [String: Section] = [:]
        for section in sections where staying[section.title] == nil {
            for row in section.rows where before[row.content.name] == 1 { others[row.content.name] = section }
        }
        var known: Set<Int> = []
        return zip(new, names).map { section, names in
            if let same = staying[section.title]?.removeFirst() { return same }
            let same = names.lazy.filter { now[$0] == 1 }.compactMap { others[$0] }.first { !known.contains($0.id) }
            if let same {
                known.insert(same.id)
                return Section(id: same.id, title: section.title, rows: same.rows)
            }
            defer { lastSection += 1 }
            return Section(id: lastSection, title: section.title, rows: [])
        }
    }

    private static func counts<Value: Hashable>(_ values: [Value]) -> [Value: Int] {
        values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// Gives each button the id that its title has had before: the id of a button that was pressed a moment ago must
    /// not stand for another one.
    private mutating func identified(_ buttons: [ButtonContent]) -> [Action] {
        let names = Name.distinct(buttons.map(\.title))
        if actionIDs.count > Self.maximumActions {
            let shown = Set(names)
            actionIDs = actionIDs.filter { shown.contains($0.key) }
        }
        return zip(names, buttons).map { name, button in
            if let id = actionIDs[name] { return Action(id: id, content: button) }
            defer { lastAction += 1 }
            actionIDs[name] = "a\(lastAction)"
            return Action(id: "a\(lastAction)", content: button)
        }
    }

    /// Updates a section. It finds the rows that are shown already by their names, in linear time.
    private mutating func updateSection(_ index: Int, to rows: [Screen<AnyAction>.Row]) -> [Change] {
        let old = sections[index].rows
        let names = Name.distinct(old.map(\.content.name))
        var known = Dictionary(uniqueKeysWithValues: zip(names, old))
        let contents = rows.map { RowContent($0) }
        var isNew: [Bool] = []
        var changed: [Change] = []
        var new: [Row] = []
        new.reserveCapacity(contents.count)
        for (name, content) in zip(Name.distinct(contents.map(\.name)), contents) {
            if var row = known.removeValue(forKey: name) {
                if row.content != content {
                    row.content = content
                    changed.append(.row(row))
                }
                new.append(row)
                isNew.append(false)
            } else {
                lastRow += 1
                new.append(Row(id: "r\(lastRow)", content: content))
                isNew.append(true)
            }
        }
        sections[index].rows = new
        for (row, source) in zip(new, rows) {
            if let control = source.control { controls[row.id] = control }
        }
        return Self.splice(section: sections[index].id, from: old, to: new, isNew: isNew) + changed
    }

    /// Returns the replacement that turns the ids of `old` into those of `new`. Rows at the beginning and at the end
    /// that are the same are left alone.
    private static func splice(section: Int, from old: [Row], to new: [Row], isNew: [Bool]) -> [Change] {
        var start = 0
        while start < old.count, start < new.count, old[start].id == new[start].id { start += 1 }
        var end = 0
        while end < old.count - start, end < new.count - start,
            old[old.count - 1 - end].id == new[new.count - 1 - end].id
        {
            end += 1
        }
        let removed = old.count - start - end
        let inserted = (start..<(new.count - end)).map { isNew[$0] ? Insertion.new(new[$0]) : .moved(id: new[$0].id) }
        guard removed > 0 || !inserted.isEmpty else { return [] }
        return [.rows(section: section, from: start, removed: removed, inserted: inserted)]
    }
}

/// The name of a row or a button, with a number that tells several of one name apart. A number in the text would not
/// do: the first row may be called `A 1`, and the third `A` again.
private struct Name: Hashable, Sendable {
    let text: String
    let number: Int

    /// Returns the names with their numbers.
    static func distinct(_ texts: [String]) -> [Name] {
        var counts: [String: Int] = [:]
        return texts.map { text in
            let number = counts[text, default: 0]
            counts[text] = number + 1
            return Name(text: text, number: number)
        }
    }
}

// MARK: - HTML

extension Page {
    /// The whole screen.
    var html: HTML {
        .element(
            "article",
            [.element("h1", attributes: ["tabindex": "-1", "dir": "auto"], .text(title))]
                + sections.map { Self.html(of: $0) }
                + [Self.html(of: actions)])
    }

    private static func html(of section: Section) -> HTML {
        let heading = section.title.map {
            HTML.element("h2", id: "s\(section.id)-title", attributes: ["dir": "auto"], .text($0))
        }
        return .element(
            "section", attributes: ["aria-labelledby": heading == nil ? nil : "s\(section.id)-title"],
            (heading.map { [$0] } ?? [])
                + [.element("ul", id: "s\(section.id)", section.rows.map { $0.html })])
    }

    static func html(of actions: [Action]) -> HTML {
        .element(
            "nav", id: "actions", attributes: ["aria-label": "Actions"],
            actions.map { $0.content.html(control: $0.id) })
    }
}

extension Page.Row {
    var html: HTML { content.html(id: id) }
}
