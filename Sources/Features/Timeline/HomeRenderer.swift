import Persistence
import Presentation

struct HomeRenderer: Renderer {
    private let rows = StatusRows<HomeViewModel.Action>(open: { .open($0) }, act: { .act($0) })

    func render(_ state: HomeViewModel.State) -> Screen<HomeViewModel.Action> {
        Screen(
            title: "Home",
            sections: [
                .init(rows: rows.requests(state.requests, "Loading the timeline", refresh: .refresh)),
                .init(rows: timeline(state)),
                .init(
                    rows: rows.end(
                        state.requests, hasMore: state.timeline?.list.next != nil, key: "o", loadOlder: .loadOlder)),
            ],
            actions: [
                .init("Refresh", key: "r", isEnabled: !state.requests.refreshing.isUnderWay, action: .refresh),
                .init("Your profile", key: "p", action: .openOwnAccount),
                .init("Leave", key: .escape, action: .leave),
            ])
    }

    private func timeline(_ state: HomeViewModel.State) -> [Row] {
        switch state.content {
        case .initial, .loading, .failure: []
        case .noStatuses: rows.none(hasMore: state.timeline?.list.next != nil)
        case let .statuses(statuses): state.timeline.map { list(statuses, $0.list, state) } ?? []
        }
    }

    private func list(
        _ statuses: [Status], _ list: EntityList<Status.ID>, _ state: HomeViewModel.State
    ) -> [Row] {
        let statuses = Dictionary(statuses.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return list.ids.flatMap { id -> [Row] in
            var result: [Row] = []
            if id == state.place, id != list.ids.first { result.append(.text("You were here:")) }
            if let status = statuses[id] { result += rows.listed(status) }
            if list.gaps.contains(id) { result += gap(after: id, state) }
            return result
        }
    }

    private func gap(after id: Status.ID, _ state: HomeViewModel.State) -> [Row] {
        let filling: [Row] =
            state.gap == id ? state.filling.rows("Loading what is missing", retry: .fillGap(after: id)) : []
        guard filling.isEmpty else { return filling }
        let isEnabled = !state.filling.isUnderWay
        return [.button("Load what is missing here", isEnabled: isEnabled, action: .fillGap(after: id))]
    }
}
