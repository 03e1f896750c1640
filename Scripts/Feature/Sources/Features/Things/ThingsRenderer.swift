import Presentation

struct ThingsRenderer: Renderer {
    func render(_ state: ThingsViewModel.State) -> Screen<ThingsViewModel.Action> {
        Screen(
            title: "Things",
            sections: [
                .init(rows: state.loading.rows("Loading", retry: .refresh)),
                .init(rows: leftOut(state)),
                .init(rows: state.things.map { .text($0.name) }),
            ],
            actions: [
                .init("Refresh", key: "r", isEnabled: !state.loading.isUnderWay, action: .refresh),
                .init("Leave", key: .escape, action: .leave),
            ])
    }

    private func leftOut(_ state: ThingsViewModel.State) -> [Row] {
        if state.leftOut == 0 { return [] }
        return [.notice(.warning, "\(state.leftOut.counting("element", "elements")) could not be read.")]
    }
}
