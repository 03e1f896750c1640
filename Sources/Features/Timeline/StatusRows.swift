import Networking
import Presentation

/// The rows that show statuses, the same on all screens.
struct StatusRows<Action: Sendable>: Sendable {
    let open: @Sendable (Status.ID) -> Action
    let act: @Sendable (StatusAct) -> Action

    /// Returns the rows of a status in a list: the author with the text, and a button to make it a favourite.
    func listed(_ status: Status) -> [Screen<Action>.Row] {
        let shown = status.shown
        var rows: [Screen<Action>.Row] = []
        if status.reblog != nil { rows.append(.text("\(status.account.name) repeated:")) }
        rows.append(.choice(title(shown), detail: detail(shown), action: open(shown.id)))
        rows.append(favouriteButton(shown, named: " “\(shown.excerpt)”"))
        return rows
    }

    /// Returns the rows of a status on its own.
    func whole(_ status: Status) -> [Screen<Action>.Row] {
        let shown = status.shown
        var rows: [Screen<Action>.Row] = []
        if let warning = shown.spoilerText, !warning.isEmpty { rows.append(.notice(.warning, warning)) }
        rows.append(.text(shown.content.plain))
        for media in shown.mediaAttachments ?? [] {
            rows.append(.value(media.type, media.description ?? "no description"))
        }
        if let card = shown.card { rows.append(.value(card.title, card.url)) }
        rows.append(.value("Written", time(shown.createdAt)))
        if let editedAt = shown.editedAt { rows.append(.value("Edited", time(editedAt))) }
        rows.append(favouriteButton(shown, named: ""))
        let isReblogged = shown.isReblogged ?? false
        rows.append(
            .button(
                "\(isReblogged ? "Take back" : "Repeat") (\(shown.reblogsCount))",
                action: act(StatusAct(toggling: .reblog, of: shown))))
        return rows
    }

    /// Returns rows for loading, for a refusal, and for statuses that could not be read.
    func requests(_ requests: StatusRequests, _ activity: String, refresh: Action) -> [Screen<Action>.Row] {
        requests.refreshing.rows(activity, retry: refresh) + refusal(requests.refusal) + leftOut(requests.leftOut)
    }

    /// Returns the rows at the end of a list of statuses.
    func end(_ requests: StatusRequests, hasMore: Bool, key: Key, loadOlder: Action) -> [Screen<Action>.Row] {
        guard hasMore else { return [] }
        let loading: [Screen<Action>.Row] = requests.loadingOlder.rows("Loading older statuses", retry: loadOlder)
        return loading.isEmpty ? [.button("Older", key: key, action: loadOlder)] : loading
    }

    /// Returns a row for the server's refusal, of an act with a button to try again.
    private func refusal(_ refusal: Refusal?) -> [Screen<Action>.Row] {
        switch refusal?.request {
        case let .act(refused):
            let what =
                switch (refused.kind, refused.isOn) {
                case (.favourite, true): "The status could not be made a favourite"
                case (.favourite, false): "The status is still a favourite"
                case (.reblog, true): "The status could not be repeated"
                case (.reblog, false): "The status is still repeated"
                }
            return refusal.map { [.notice(.error, "\(what). \($0.error)", button: .tryAgain(act(refused)))] } ?? []
        case let .renaming(_, to: name):
            // It is tried again on the profile.
            let what = "The account could not be renamed to “\(name)”"
            return refusal.map { [.notice(.error, "\(what). \($0.error)")] } ?? []
        case nil: return []
        }
    }

    /// Returns a row with the number of statuses that could not be read.
    private func leftOut(_ count: Int) -> [Screen<Action>.Row] {
        guard count > 0 else { return [] }
        return [.notice(.warning, "\(count.counting("status", "statuses")) could not be read.")]
    }

    /// Returns the row of a list that has no statuses. If there are more pages, only its first page was empty, or could
    /// not be read.
    func none(hasMore: Bool) -> [Screen<Action>.Row] { hasMore ? [] : [.text("There are no statuses yet.")] }

    private func favouriteButton(_ status: Status, named name: String) -> Screen<Action>.Row {
        let verb = status.isFavourite ?? false ? "Unfavourite" : "Favourite"
        return .button(
            "\(verb)\(name) (\(status.favouritesCount))", action: act(StatusAct(toggling: .favourite, of: status)))
    }

    private func title(_ status: Status) -> String { "\(status.account.name): \(status.excerpt)" }

    private func detail(_ status: Status) -> String {
        let replies = status.repliesCount.counting("reply", "replies")
        return "@\(status.account.handle), \(time(status.createdAt)), \(replies)"
    }

    private func time(_ dateTime: DateTime) -> String { dateTime.date.inWords }
}

extension Status {
    /// The beginning of the text, on one line.
    var excerpt: String {
        let text = (spoilerText.flatMap { $0.isEmpty ? nil : $0 } ?? content.plain).prefix(200)
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return text.count > 40 ? text.prefix(39) + "…" : text
    }
}
