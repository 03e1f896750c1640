import Presentation

struct HomeRenderer: Renderer {
    private let rows = StatusRows<HomeViewModel.Action>(open: { .open($0) }, act: { .act($0) })

    func render(_ state: HomeViewModel.State) -> Screen<HomeViewModel.Action> {
        Screen(
            title: "Home",
            sections: [
                .init(rows: status(state)),
                .init(rows: timeline(state)),
                .init(rows: end(state)),
            ],
            actions: [
                .init("Refresh", key: "r", isEnabled: !state.refreshing.isUnderWay, action: .refresh),
                .init("Your profile", key: "p", action: .openOwnAccount),
                .init("Leave", key: .escape, action: .leave),
            ])
    }

    private func status(_ state: HomeViewModel.State) -> [Row] {
        var status: [Row] = state.refreshing.rows("Loading the timeline", retry: .refresh)
        if state.content == .noStatuses, status.isEmpty { status.append(.text("There are no statuses yet.")) }
        return status + rows.refusal(state.refusal) + rows.leftOut(state.leftOut)
    }

    private func timeline(_ state: HomeViewModel.State) -> [Row] {
        guard let timeline = state.timeline else { return [] }
        let statuses = Dictionary(timeline.entities.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return timeline.list.ids.flatMap { id -> [Row] in
            var result: [Row] = []
            if id == state.place, id != timeline.list.ids.first { result.append(.text("You were here:")) }
            if let status = statuses[id] { result += rows.listed(status) }
            if timeline.list.gaps.contains(id) { result += gap(after: id, state) }
            return result
        }
    }

    private func gap(after id: Status.ID, _ state: HomeViewModel.State) -> [Row] {
        let filling: [Row] =
            state.gap == id ? state.filling.rows("Loading what is missing", retry: .fillGap(after: id)) : []
        return filling.isEmpty ? [.button("Load what is missing here", action: .fillGap(after: id))] : filling
    }

    private func end(_ state: HomeViewModel.State) -> [Row] {
        let loading: [Row] = state.loadingOlder.rows("Loading older statuses", retry: .loadOlder)
        guard loading.isEmpty else { return loading }
        guard state.timeline?.list.next != nil else { return [] }
        return [.button("Older", key: "o", action: .loadOlder)]
    }
}
