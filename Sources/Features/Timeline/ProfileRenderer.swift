import Presentation

struct ProfileRenderer: Renderer {
    private let rows = StatusRows<ProfileViewModel.Action>(open: { .open($0) }, act: { .act($0) })

    func render(_ state: ProfileViewModel.State) -> Screen<ProfileViewModel.Action> {
        let account = state.profile?.account
        return Screen(
            title: account?.name ?? "Profile",
            sections: [
                .init(rows: rows.requests(state.requests, "Loading the profile", refresh: .refresh)),
                .init(rows: account.map(about) ?? []),
                .init(rows: name(state)),
                .init(rows: timeline(state)),
            ],
            actions: [
                .init(
                    "Refresh", key: .control("r"), isEnabled: !state.requests.refreshing.isUnderWay, action: .refresh),
                .init("Back", key: .escape, action: .leave),
            ])
    }

    private func about(_ account: Account) -> [Row] {
        var about: [Row] = [.text("@\(account.handle)")]
        if let note = account.note, !note.plain.isEmpty { about.append(.text(note.plain)) }
        let counts = [
            (account.statusesCount, "Statuses"), (account.followersCount, "Followers"),
            (account.followingCount, "Following"),
        ]
        for case let (count?, label) in counts { about.append(.value(label, "\(count)")) }
        return about
    }

    private func name(_ state: ProfileViewModel.State) -> [Row] {
        guard state.isOwn, let account = state.profile?.account else { return [] }
        return [
            .field(
                "Name", text: state.newName ?? account.displayName, isEnabled: !state.renaming.isUnderWay,
                edit: { .editName($0) }),
            .button("Rename", key: .control("n"), isEnabled: state.canRename, action: .rename),
        ] + state.renaming.rows("Renaming", retry: .rename)
    }

    private func timeline(_ state: ProfileViewModel.State) -> [Row] {
        let hasMore = state.profile?.timeline?.list.next != nil
        let statuses: [Row] =
            switch state.content {
            case .initial, .loading, .failure: []
            case .noStatuses: rows.none(hasMore: hasMore)
            case let .statuses(statuses): statuses.flatMap(rows.listed)
            }
        return statuses + rows.end(state.requests, hasMore: hasMore, key: .control("o"), loadOlder: .loadOlder)
    }
}
