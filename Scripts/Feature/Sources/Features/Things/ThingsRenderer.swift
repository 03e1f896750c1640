import Presentation

struct ThingsRenderer: Renderer {
    func render(_ state: ThingsViewModel.State) -> Screen<ThingsViewModel.Action> {
        Screen(
            title: "Things",
            sections: [
                .init(rows: state.loading.rows("Loading", retry: .refresh)),
                .init(rows: state.things.map { .text($0.name) }),
            ],
            actions: [
                .init("Refresh", key: "r", isEnabled: !state.loading.isUnderWay, action: .refresh),
                .init("Leave", key: .escape, action: .leave),
            ])
    }
}
