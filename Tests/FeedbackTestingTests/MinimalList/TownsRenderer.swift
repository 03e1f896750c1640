import Presentation

struct TownsRenderer: Renderer {
    func render(_ state: TownsViewModel.State) -> Screen<TownsViewModel.Action> {
        Screen(
            title: "Towns",
            sections: [
                .init(rows: state.loading.rows("Loading the towns", retry: .refresh)),
                .init(rows: state.towns.map { .choice($0, action: .choose($0)) }),
            ],
            actions: [.init("Refresh", key: "r", isEnabled: !state.loading.isUnderWay, action: .refresh)])
    }
}
