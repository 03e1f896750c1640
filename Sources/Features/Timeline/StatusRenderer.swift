import Presentation

struct StatusRenderer: Renderer {
    private let rows = StatusRows<StatusViewModel.Action>(open: { .open($0) }, act: { .act($0) })

    func render(_ state: StatusViewModel.State) -> Screen<StatusViewModel.Action> {
        let status = rows.requests(state.requests, "Loading the thread", refresh: .refresh)
        let actions: [Screen<StatusViewModel.Action>.Button] = [
            .init("Refresh", key: "r", isEnabled: !state.requests.refreshing.isUnderWay, action: .refresh),
            .init("Back", key: .escape, action: .leave),
        ]
        guard let thread = state.thread else {
            return Screen(title: "Status", sections: [.init(rows: status)], actions: actions)
        }
        let author = thread.status.shown.account
        return Screen(
            title: "Status of \(author.name)",
            sections: [
                .init(rows: status),
                .init(rows: thread.ancestors.flatMap(rows.listed)),
                .init(
                    rows: [.button("\(author.name) (@\(author.handle))", action: .openAccount(author.id))]
                        + rows.whole(thread.status)),
                .init(
                    thread.descendants.isEmpty ? nil : "Replies", rows: thread.descendants.flatMap(rows.listed)),
            ],
            actions: actions)
    }
}
